// The library's side of diagnosis: questions and answers. The Python files in this folder make the mistakes with NumPy.
#include "posenc/insight/diagnose.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "posenc/error.h"
#include "posenc/half.h"
#include "posenc/models/catalog.h"
#include "posenc/reference.h"
#include "posenc/rotate.h"

namespace posenc::diagnose_test {
namespace {

constexpr std::int64_t kTokens = 24;
constexpr std::int64_t kWidth = 16;

std::vector<double> drawn(std::int64_t count, double seed = 0.0) {
  std::vector<double> values;
  for (std::int64_t i = 0; i < count; ++i) {
    values.push_back(std::sin(static_cast<double>(i * i) * 0.7 + seed + static_cast<double>(i)));
  }
  return values;
}

// Vectors before and after a rotation, by the plain definition.
struct Turned {
  std::vector<double> before = drawn(kTokens * kWidth);
  std::vector<double> behind;

  explicit Turned(const Rotary& spec, double first = 0.0) {
    behind.resize(before.size());
    for (std::int64_t n = 0; n < kTokens; ++n) {
      const double position = first + static_cast<double>(n);
      reference::rotate_head(spec, std::span(&position, 1), &before[static_cast<std::size_t>(n * kWidth)],
                             &behind[static_cast<std::size_t>(n * kWidth)]);
    }
  }
  ObservedRotation seen() const {
    return {make_view(before.data(), {kTokens, kWidth}), make_view(behind.data(), {kTokens, kWidth}),
            PositionView::range(0, kTokens)};
  }
};

std::string message_of(const Spec& spec, const Observation& observed) {
  try {
    diagnose(spec, observed);
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

// One vector at position 1 does not show which mistake doubled its angles.
TEST(Diagnose, NamesWhatGivesTheSameNumbers) {
  const Rotary spec{.head_dim = kWidth};
  const Turned twice(spec, 2.0);
  const Diagnosis answer =
      diagnose(spec, ObservedRotation{make_view(twice.before.data(), {1, kWidth}),
                                      make_view(twice.behind.data(), {1, kWidth}), PositionView::range(1, 1)});
  EXPECT_EQ(answer.verdict, DiagnosisVerdict::fault);
  ASSERT_FALSE(answer.ties.empty());
  EXPECT_NE(answer.ties[0].find("It gives the same numbers here."), std::string::npos) << answer.ties[0];
  EXPECT_EQ(to_json(answer).find("ties")->array().size(), answer.ties.size());
}

TEST(Diagnose, MatchesItself) {
  const Rotary spec{.head_dim = kWidth, .base = 500.0};
  const Diagnosis answer = diagnose(spec, Turned(spec).seen());
  EXPECT_EQ(answer.verdict, DiagnosisVerdict::matches);
  EXPECT_TRUE(answer.explanations.empty());
  EXPECT_LT(answer.largest_difference, 1e-12);
}

TEST(Diagnose, NamesTheMistakeWithItsNumber) {
  const Rotary spec{.head_dim = kWidth, .base = 500.0};
  Rotary other = spec;
  other.base = 1234.5;
  const Diagnosis answer = diagnose(spec, Turned(other).seen());
  ASSERT_EQ(answer.verdict, DiagnosisVerdict::fault);
  EXPECT_EQ(answer.explanations[0].faults, std::vector<std::string>{"base"});
  ASSERT_TRUE(answer.explanations[0].values[0].has_value());
  EXPECT_NEAR(*answer.explanations[0].values[0], 1234.5, 1e-3);
  EXPECT_EQ(answer.explanations[0].command, "posenc diagnose rotary:head_dim=16,base=500 --inject base=1234.5");
  ASSERT_TRUE(answer.separation.has_value());
  EXPECT_NEAR(answer.separation->observed, answer.separation->best, 1e-4);
  EXPECT_GT(std::abs(answer.separation->observed - answer.separation->other), 1e-6);
}

TEST(Diagnose, FindsTwoWhereOneDoesNotSuffice) {
  const Rotary spec{.head_dim = kWidth};
  Rotary other = spec;
  other.layout = Layout::interleaved;
  const Diagnosis answer = diagnose(spec, Turned(other, 5.0).seen());
  ASSERT_EQ(answer.verdict, DiagnosisVerdict::fault);
  const std::set<std::string> faults(answer.explanations[0].faults.begin(), answer.explanations[0].faults.end());
  EXPECT_EQ(faults, (std::set<std::string>{"layout", "position_offset"}));
  for (const Explanation& next : answer.explanations) EXPECT_LE(answer.explanations[0].residual, next.residual);
}

TEST(Diagnose, ReadsStridesAndShortTypes) {
  const Rotary spec{.head_dim = kWidth};
  const Turned turned(spec);
  // Heads first in memory, in bfloat16: the same numbers through swapped axes.
  std::vector<bf16> before, behind;
  for (const double x : turned.before) before.push_back(to_bf16(x));
  for (const double x : turned.behind) behind.push_back(to_bf16(x));
  const ConstView input = make_view(static_cast<const bf16*>(before.data()), {1, kTokens, kWidth}).swap(0, 1);
  const ConstView rotated = make_view(static_cast<const bf16*>(behind.data()), {1, kTokens, kWidth}).swap(0, 1);
  const Diagnosis answer = diagnose(spec, ObservedRotation{input, rotated, PositionView::range(0, kTokens)});
  EXPECT_EQ(answer.verdict, DiagnosisVerdict::matches) << answer.sentence;
  EXPECT_GT(answer.largest_difference, 1e-4);
}

// Rotated by the definition at any ids, in bfloat16 or double.
Diagnosis diagnose_at(const Rotary& spec, const Rotary& other, const std::vector<double>& taken, double outlier = 0.0,
                      bool round = false) {
  const auto count = static_cast<std::int64_t>(taken.size()), width = spec.head_dim;
  std::vector<double> before = drawn(count * width), behind(before.size());
  for (std::size_t n = 0; n < taken.size(); ++n) {
    const std::size_t at = n * static_cast<std::size_t>(width);
    if (outlier != 0.0) before[at + 3] = outlier;
    for (std::size_t c = 0; round && c < static_cast<std::size_t>(width); ++c) {
      before[at + c] = to_double(to_bf16(before[at + c]));
    }
    reference::rotate_head(other, std::span(&taken[n], 1), &before[at], &behind[at]);
    for (std::size_t c = 0; round && c < static_cast<std::size_t>(width); ++c) {
      behind[at + c] = to_double(to_bf16(behind[at + c]));
    }
  }
  return diagnose(spec, ObservedRotation{make_view(before.data(), {count, width}),
                                         make_view(behind.data(), {count, width}), PositionView::range(0, count)});
}

std::vector<double> counted(std::int64_t count, double first = 0.0) {
  std::vector<double> ids;
  for (std::int64_t n = 0; n < count; ++n) ids.push_back(first + static_cast<double>(n));
  return ids;
}

std::string first_fault(const Diagnosis& answer) {
  return answer.explanations.empty() ? std::string(to_text(answer.verdict)) : answer.explanations[0].faults[0];
}

TEST(Diagnose, OutliersHideNothing) {
  const Rotary spec{.head_dim = kWidth};
  Rotary other = spec;
  other.base = 300.0;
  EXPECT_EQ(first_fault(diagnose_at(spec, other, counted(40), 3000.0, true)), "base");
  EXPECT_EQ(first_fault(diagnose_at(spec, spec, counted(40), 3000.0, true)), "matches");
}

TEST(Diagnose, WithinTheToleranceOfATypeTheBetterEngineWins) {
  const Rotary spec{.head_dim = 128, .base = 500000.0, .scaling = Llama3{.factor = 8.0, .original_positions = 8192}};
  Rotary plain = spec;
  plain.scaling = NoScaling{};
  EXPECT_EQ(first_fault(diagnose_at(spec, plain, counted(32), 0.0, true)), "scaling_dropped");
  EXPECT_EQ(first_fault(diagnose_at(spec, spec, counted(32), 0.0, true)), "matches");
}

TEST(Diagnose, FindsPositionsWhereverTheyGoWrong) {
  const Rotary spec{.head_dim = kWidth};
  const Diagnosis far = diagnose_at(spec, spec, counted(40, 100000.0));
  EXPECT_EQ(first_fault(far), "position_offset");
  EXPECT_EQ(far.explanations[0].values[0], 100000.0);
  EXPECT_EQ(first_fault(diagnose_at(spec, spec, counted(40, -300.0))), "position_offset");
  std::vector<double> late = counted(3000);
  for (std::size_t n = 2345; n < late.size(); ++n) late[n] += 1.0;
  EXPECT_EQ(first_fault(diagnose_at(spec, spec, late)), "position_gap");
  std::vector<double> one = counted(300);
  one[150] = 151.0;
  EXPECT_EQ(first_fault(diagnose_at(spec, spec, one)), "positions_other");
}

TEST(Diagnose, OneWrongNumberIsNoMatch) {
  const Rotary spec{.head_dim = kWidth};
  Turned turned(spec);
  turned.behind[17 * kWidth + 3] += 0.5;
  const Diagnosis answer = diagnose(spec, turned.seen());
  EXPECT_EQ(answer.verdict, DiagnosisVerdict::not_explained);
  EXPECT_TRUE(answer.explanations.empty());
  const auto largest = std::max_element(answer.errors.values.begin(), answer.errors.values.end());
  EXPECT_EQ((largest - answer.errors.values.begin()) / answer.errors.columns, 17);
}

TEST(Diagnose, SaysWhatItCannotTell) {
  const Rotary spec{.head_dim = kWidth};
  const Turned turned(spec);
  const Diagnosis nowhere =
      diagnose(spec, ObservedRotation{make_view(turned.before.data(), {1, kWidth}),
                                      make_view(turned.before.data(), {1, kWidth}), PositionView::range(0, 1)});
  EXPECT_EQ(nowhere.verdict, DiagnosisVerdict::matches);
  ASSERT_FALSE(nowhere.cannot_tell.empty());
  EXPECT_NE(nowhere.cannot_tell[0].find("position 0 proves nothing"), std::string::npos);

  const std::vector<double> one_pair = drawn(2 * 4);
  std::vector<double> behind(one_pair.size());
  for (std::int64_t n = 0; n < 4; ++n) {
    const auto position = static_cast<double>(n);
    reference::rotate_head(Rotary{.head_dim = 2}, std::span(&position, 1), &one_pair[static_cast<std::size_t>(2 * n)],
                           &behind[static_cast<std::size_t>(2 * n)]);
  }
  const Diagnosis pair =
      diagnose(Rotary{.head_dim = 2}, ObservedRotation{make_view(one_pair.data(), {4, 2}),
                                                       make_view(behind.data(), {4, 2}), PositionView::range(0, 4)});
  EXPECT_EQ(pair.verdict, DiagnosisVerdict::matches);
  ASSERT_FALSE(pair.cannot_tell.empty());
  EXPECT_NE(pair.cannot_tell[0].find("one pair"), std::string::npos);
}

TEST(Diagnose, SendsPositionsThatTell) {
  // Near position 0, bfloat16 does not show a scaling that changes only slow pairs; the suggested positions must show
  // it.
  const Rotary spec{.head_dim = 128, .base = 10000.0, .scaling = Llama3{.factor = 8.0, .original_positions = 8192}};
  const auto answer_at = [&](std::int64_t last) {
    constexpr std::int64_t kCount = 40;
    std::vector<std::int64_t> ids;
    for (std::int64_t n = 0; n < kCount; ++n) ids.push_back(n * last / (kCount - 1));
    std::vector<double> before = drawn(kCount * 128), behind(before.size());
    for (std::int64_t n = 0; n < kCount; ++n) {
      const auto position = static_cast<double>(ids[static_cast<std::size_t>(n)]);
      reference::rotate_head(Rotary{.head_dim = 128}, std::span(&position, 1),
                             &before[static_cast<std::size_t>(n * 128)], &behind[static_cast<std::size_t>(n * 128)]);
    }
    std::vector<bf16> x, y;
    for (const double v : before) x.push_back(to_bf16(v));
    for (const double v : behind) y.push_back(to_bf16(v));
    return diagnose(spec, ObservedRotation{make_view(static_cast<const bf16*>(x.data()), {kCount, 128}),
                                           make_view(static_cast<const bf16*>(y.data()), {kCount, 128}),
                                           PositionView::of(ids.data(), kCount)});
  };
  const Diagnosis near = answer_at(2);
  EXPECT_EQ(near.verdict, DiagnosisVerdict::matches);
  std::int64_t wanted = 0;
  for (const std::string& line : near.cannot_tell) {
    if (line.find("scaling_dropped") == std::string::npos) continue;
    wanted = std::stoll(line.substr(line.find("at least ") + 9));
  }
  ASSERT_GT(wanted, 2);
  EXPECT_EQ(answer_at(wanted * 2).verdict, DiagnosisVerdict::fault);
}

TEST(Diagnose, ModelsBringTheirOtherLayers) {
  const CatalogEntry* entry = find_in_catalog("gemma-3-4b");
  ASSERT_NE(entry, nullptr);
  const Model model = model_from_json(parse_json(entry->config, entry->name), "gemma-3-4b");
  const ModelGroup& far = group_of_layer(model, 5, "text");
  const DiagnoseOptions options = options_of(model, far);
  ASSERT_EQ(options.others.size(), 1u);
  EXPECT_EQ(options.others[0].spec.base, 10000.0);
  EXPECT_TRUE(options.softmax_scale.has_value());
}

TEST(Diagnose, JsonHasWhatTheContractSays) {
  const Rotary spec{.head_dim = kWidth};
  Rotary other = spec;
  other.base = 100.0;
  const Json json = to_json(diagnose(spec, Turned(other).seen()));
  EXPECT_EQ(json.find("schema")->string(), "posenc/1");
  EXPECT_EQ(json.find("verdict")->string(), "fault");
  const Json& first = json.find("explanations")->array()[0];
  for (const char* name : {"fault", "sentence", "fix", "command"}) EXPECT_FALSE(first.find(name)->string().empty());
  EXPECT_TRUE(first.find("residual")->is_number());
  EXPECT_TRUE(json.find("cannot_tell")->is_array());
}

TEST(Diagnose, RefusesWhatCannotBeCompared) {
  const Rotary spec{.head_dim = kWidth};
  Turned turned(spec);
  ObservedRotation seen = turned.seen();
  seen.positions = PositionView::range(0, 5);
  EXPECT_EQ(message_of(spec, seen), "positions: expected 24 positions, one per token, but got 5");
  EXPECT_EQ(message_of(Alibi{.heads = 2}, turned.seen()),
            "rotated vectors belong to rotary encodings, but the spec is alibi");
  EXPECT_EQ(message_of(Rotary{.head_dim = 8}, turned.seen()),
            "input: expected heads of 8 channels but got [24, 16]; write several heads as [N, H, D]");
  const std::vector<double> zeros(turned.before.size(), 0.0);
  seen = turned.seen();
  seen.rotated = make_view(zeros.data(), {kTokens, kWidth});
  EXPECT_EQ(message_of(spec, seen), "rotated: every number is zero: nothing was written there");
  seen.rotated = make_view(turned.behind.data(), {kTokens - 1, kWidth});
  EXPECT_EQ(message_of(spec, seen), "rotated: expected the shape of input, [24, 16], but got [23, 16]");
  turned.behind[5] = std::nan("");
  EXPECT_EQ(message_of(spec, turned.seen()), "rotated: element [0, 5] is nan, but every number must be finite");
}

TEST(KnownFaults, EveryRowIsWhole) {
  std::set<std::string_view> names;
  for (const KnownFault& fault : known_faults()) {
    EXPECT_TRUE(names.insert(fault.name).second) << fault.name;
    for (const std::string_view text : {fault.about, fault.title, fault.symptom, fault.fix, fault.example}) {
      EXPECT_FALSE(text.empty()) << fault.name;
      EXPECT_FALSE(text.ends_with('.')) << fault.name << ": " << text;
    }
  }
  EXPECT_GT(names.size(), 60u);
}

TEST(KnownFaults, EveryExampleShowsItsFault) {
  for (const KnownFault& fault : known_faults()) {
    const CatalogEntry* entry = find_in_catalog(std::string(fault.example));
    Spec spec;
    DiagnoseOptions options;
    if (entry == nullptr) {
      spec = parse_spec(fault.example);
    } else {
      const Model model = model_from_json(parse_json(entry->config, entry->name), std::string(entry->name));
      const ModelGroup& group = group_of_layer(model, std::max<std::int64_t>(fault.layer, 0), "text");
      spec = group.spec;
      options = options_of(model, group);
    }
    if (auto* rotary = std::get_if<Rotary>(&spec);
        rotary && needs_length(rotary->scaling) && !rotary->sequence_length) {
      rotary->sequence_length = 1;
    }
    std::vector<std::int64_t> ids;
    for (const std::int64_t p : {0, 1, 3, 9, 33, 301, 3001, 30001, 131001}) {
      for (std::int64_t a = 0; a < axes_of(spec); ++a) ids.push_back(p / (a + 1));
    }
    const Positions positions = Positions::integers(ids, axes_of(spec));
    const InjectedFault shown = inject_fault(spec, fault.name, positions, options);
    double largest = 0.0;
    for (const double error : shown.error) {
      EXPECT_TRUE(std::isfinite(error)) << fault.name;
      largest = std::max(largest, error);
    }
    EXPECT_GT(largest, 1e-5) << fault.name;
    const Drawing drawing = draw_fault(shown, std::string(fault.name));
    EXPECT_TRUE(overlapping_texts(drawing).empty()) << fault.name;
    EXPECT_TRUE(texts_outside(drawing).empty()) << fault.name;
  }
}

TEST(InjectFault, RefusesWhatIsNotThere) {
  const auto message = [](std::string_view fault) {
    try {
      inject_fault(Rotary{.head_dim = 8}, fault, PositionView::range(0, 4));
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("no error");
  };
  EXPECT_EQ(message("bass"), "no fault is called 'bass'; did you mean 'base'?");
  EXPECT_EQ(message("base=x"), "'base=x': expected a number after '='");
  EXPECT_EQ(message("longrope_list"), "longrope_list does not apply to rotary:head_dim=8");
  EXPECT_EQ(message("sign + base=100"), "no error");
}

}  // namespace
}  // namespace posenc::diagnose_test
