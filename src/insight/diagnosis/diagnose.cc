#include "posenc/insight/diagnose.h"

#include <algorithm>
#include <cmath>

#include "insight/diagnosis/answer.h"
#include "insight/diagnosis/evidence.h"
#include "insight/diagnosis/fault.h"
#include "insight/diagnosis/question.h"
#include "posenc/error.h"

namespace posenc {
std::string_view to_text(DiagnosisVerdict verdict) noexcept {
  switch (verdict) {
    case DiagnosisVerdict::matches:
      return "matches";
    case DiagnosisVerdict::fault:
      return "fault";
    case DiagnosisVerdict::not_explained:
      return "not_explained";
  }
  return "";
}

Diagnosis diagnose(const Spec& spec, const Observation& observed, const DiagnoseOptions& options) {
  validate(spec);
  diagnosis::check_kind(spec, observed);
  diagnosis::Inquiry question;
  question.options = &options;
  question.seen = static_cast<diagnosis::Seen>(observed.index());
  question.right = diagnosis::right_engine(spec, observed, options);
  question.spec_text = options.command_spec.empty() ? to_text(spec) : options.command_spec;
  std::vector<std::string> notes;
  const std::unique_ptr<diagnosis::Evidence> evidence =
      diagnosis::make_evidence(question.right, observed, {&options, &notes});
  question.evidence = evidence.get();
  Diagnosis answer = answered(question);
  answer.notes.insert(answer.notes.begin(), notes.begin(), notes.end());
  answer.errors = evidence->errors(question.right);
  return answer;
}

DiagnoseOptions options_of(const Model& model, const ModelGroup& group, const DiagnoseOptions& options) {
  DiagnoseOptions filled = options;
  if (!filled.softmax_scale) filled.softmax_scale = group.softmax_scale;
  if (!filled.latent_head) filled.latent_head = group.latent_head;
  if (!filled.query_scale) filled.query_scale = group.query_scale;
  // Specs that differ only in sequence_length count as the same.
  const auto* self = std::get_if<Rotary>(&group.spec);
  const auto text_of = [](Rotary rotary) {
    rotary.sequence_length.reset();
    return to_text(Spec(rotary));
  };
  for (const ModelGroup& other : model.groups) {
    const auto* rotary = std::get_if<Rotary>(&other.spec);
    if (rotary == nullptr || other.part != group.part) continue;
    if (self != nullptr && text_of(*self) == text_of(*rotary)) continue;
    Rotary settled = *rotary;
    if (self != nullptr && self->sequence_length) settled.sequence_length = self->sequence_length;
    if (needs_length(settled.scaling) && !settled.sequence_length) settled.sequence_length = 1;
    const auto known = [&](const OtherLayers& listed) { return text_of(listed.spec) == text_of(settled); };
    if (std::any_of(filled.others.begin(), filled.others.end(), known)) continue;
    std::string name = "other layers";
    if (!other.layers.empty()) name = "layer " + std::to_string(other.layers.front());
    if (!other.layer_type.empty()) name += " (" + other.layer_type + ")";
    filled.others.push_back({name, settled});
  }
  return filled;
}

Diagnosis diagnose(const Model& model, const ModelGroup& group, const Observation& observed,
                   const DiagnoseOptions& options) {
  if (group.other_kind.empty()) return diagnose(group.spec, observed, options_of(model, group, options));
  fail(ErrorKind::unsupported,
       model.source + ": posenc does not compute " + group.other_kind + ", so its numbers cannot be diagnosed");
}

Json to_json(const Diagnosis& diagnosis) {
  const auto listed = [](const std::vector<Explanation>& explanations) {
    Json::Array list;
    for (const Explanation& e : explanations) {
      std::string name;
      Json::Array faults, values;
      for (std::size_t i = 0; i < e.faults.size(); ++i) {
        name += (i > 0 ? " + " : "") + e.faults[i];
        faults.emplace_back(e.faults[i]);
        values.push_back(e.values[i] ? Json(*e.values[i]) : Json(nullptr));
      }
      list.push_back(Json::Object{{"fault", name},
                                  {"faults", faults},
                                  {"values", values},
                                  {"residual", e.residual},
                                  {"largest_difference", e.largest_difference},
                                  {"sentence", e.sentence},
                                  {"fix", e.fix},
                                  {"command", e.command}});
    }
    return list;
  };
  const auto strings = [](const std::vector<std::string>& lines) { return Json::Array(lines.begin(), lines.end()); };
  Json json = Json::Object{{"schema", "posenc/1"},
                           {"verdict", to_text(diagnosis.verdict)},
                           {"sentence", diagnosis.sentence},
                           {"residual", std::isfinite(diagnosis.residual) ? Json(diagnosis.residual) : Json(nullptr)},
                           {"largest_difference", diagnosis.largest_difference},
                           {"explanations", listed(diagnosis.explanations)}};
  if (const std::optional<Separation>& at = diagnosis.separation) {
    json.set("separation", Json::Object{{"token", at->token},
                                        {"position", at->position},
                                        {at->channel_name, at->channel},
                                        {"observed", at->observed},
                                        {"best", at->best},
                                        {"other", at->other}});
  }
  json.set("ties", strings(diagnosis.ties)).set("cannot_tell", strings(diagnosis.cannot_tell));
  if (!diagnosis.nearest.empty()) json.set("nearest", listed(diagnosis.nearest));
  json.set("notes", strings(diagnosis.notes));
  return json;
}

std::vector<KnownFault> known_faults() {
  std::vector<KnownFault> result;
  for (const diagnosis::Fault* fault : diagnosis::all_faults()) {
    result.push_back({fault->name, fault->about, fault->sentence, fault->symptom, fault->fix, fault->reports,
                      fault->example, fault->layer});
  }
  return result;
}

}  // namespace posenc
