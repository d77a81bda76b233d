// One encoding with everything that it needs: its spec, its learned numbers, and the schedules computed from both.
//
//     posenc::Encoding llama = posenc::load_encoding("llama-3.1-8b", {.layer = 0});        // or a config.json, a GGUF
//     posenc::rotate(q, positions, posenc::RotaryAngles(*llama.rotary()));
//     posenc::Encoding gpt2 = posenc::load_encoding("gpt2", {.files = {"model.safetensors:wpe.weight"}});
//     posenc::add_positions(x, positions, gpt2.rows(), x);
//     posenc::Encoding alibi = posenc::make_encoding(posenc::Alibi{.heads = 8});           // alibi.bias()
//     posenc::AttendOptions options;
//     posenc::add_encoding(options, alibi);
//     posenc::attend(q, k, v, out, options);
//
// An Encoding is immutable, cheap to copy and safe to share between threads. Views that it returns are valid as long as
// it or a copy exists. Messages name options as on the command line: --file is EncodingOptions::files.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "posenc/bias.h"
#include "posenc/export.h"
#include "posenc/files/array.h"
#include "posenc/input_rows.h"
#include "posenc/models/model.h"
#include "posenc/parameters.h"
#include "posenc/schedule.h"
#include "posenc/score_term.h"
#include "posenc/spec.h"
#include "posenc/view.h"

namespace posenc {

struct AttendOptions;  // posenc/attend.h

namespace models {
struct EncodingState;
}  // namespace models

// The spec of the learned table of a learned or hybrid encoding; null for other kinds.
POSENC_API const Learned* learned_part(const Spec& spec) noexcept;

class POSENC_API Encoding {
 public:
  // Without learned numbers: make_encoding(spec, {}, Missing::leave).
  Encoding(const Spec& spec);  // NOLINT(*-explicit-*): a spec is accepted wherever an encoding is

  const Spec& spec() const noexcept POSENC_LIFETIMEBOUND;
  Place place() const noexcept { return place_of(spec()); }
  // The encoding as a SPEC for a command: what was typed, or the spec's text if that was a model or was incomplete.
  const std::string& text() const noexcept POSENC_LIFETIMEBOUND;
  const std::string& data_text() const noexcept
      POSENC_LIFETIMEBOUND;          // the options that give the same learned numbers: "--file wpe.npy"
  std::string command_text() const;  // both, quoted for a shell
  // The fields that EncodingOptions::example filled in because the text left them out, "width=8"; empty if none.
  const std::string& assumed() const noexcept POSENC_LIFETIMEBOUND;
  // The model that it comes from, else null. The group's spec does not fix the sequence length.
  const Model* model() const noexcept POSENC_LIFETIMEBOUND;
  const ModelGroup* group() const noexcept POSENC_LIFETIMEBOUND;

  // Learned numbers.
  ConstView table() const noexcept POSENC_LIFETIMEBOUND;  // learned and hybrid only, [R, M]; rank 0 if there is none
  const std::vector<ConstView>& tables() const noexcept
      POSENC_LIFETIMEBOUND;                                            // concat only: one per learned part, in order
  const Parameters& parameters() const noexcept POSENC_LIFETIMEBOUND;  // encodings inside attention only
  bool drawn() const noexcept;                                         // whether any were drawn at random
  std::string drawn_text() const;                                      // a sentence that says so, or empty
  bool made_by_init() const noexcept;  // whether EncodingOptions::init made some of them

  // Schedules. Empty for other kinds, and for a rotary encoding whose layer or sequence length is still open.
  const std::optional<SinusoidalSchedule>& sinusoidal() const noexcept
      POSENC_LIFETIMEBOUND;  // or the fixed part of a hybrid
  const std::optional<FourierSchedule>& fourier() const noexcept POSENC_LIFETIMEBOUND;
  // Rotary encodings, the rotation of xpos, and the angles of pope (one pair per channel).
  const std::optional<RotarySchedule>& rotary() const noexcept POSENC_LIFETIMEBOUND;

  // The rows of an encoding at the input. Throws for other encodings, and if the table is missing.
  InputRows rows() const POSENC_LIFETIMEBOUND;
  std::int64_t width() const { return width_of(rows()); }
  double largest() const;                         // an upper bound on the absolute values of all rows
  std::optional<std::int64_t> positions() const;  // how many positions have a row of their own; none: no limit
  // Default positions, [places][axes], row by row: 64 on one axis, 12 x 16 on two, 4 x 6 x 8 on three, 2 per axis on
  // more; fewer if a learned table ends earlier.
  std::vector<std::int64_t> small_grid() const;

  // Biases and score terms; empty for other kinds, and if required learned numbers are missing.
  const std::optional<Bias>& bias() const noexcept POSENC_LIFETIMEBOUND;  // including masks
  const std::optional<ScoreTerm>& term() const noexcept POSENC_LIFETIMEBOUND;
  std::int64_t heads() const noexcept;  // 1 if its kind has no heads

 private:
  friend struct models::EncodingState;  // the only maker; state_ is never null
  explicit Encoding(std::shared_ptr<const models::EncodingState> state) : state_(std::move(state)) {}

  std::shared_ptr<const models::EncodingState> state_;
};

// What to do about learned numbers that an encoding needs but that were not given.
enum class Missing : int {
  error,
  leave,  // leave them out: the encoding then has a spec, but no rows, bias or term
  draw,   // draw them as before training: normal, standard deviation 0.02 for tables, 1 / sqrt(D) in score terms
};

// Learned numbers in memory.
struct LearnedNumbers {
  std::optional<Array> table;                             // learned and hybrid only, [R, M]
  std::vector<Array> tables;                              // concat only: one per learned part
  std::vector<std::pair<std::string, Array>> parameters;  // with their names; see posenc/parameters.h
};

// Throws if the spec is invalid or the numbers do not fit it.
POSENC_API Encoding make_encoding(const Spec& spec, LearnedNumbers numbers = {}, Missing missing = Missing::error,
                                  std::uint64_t seed = 0);

// The same encoding with missing numbers drawn. A matrix bias whose spec has no size covers `positions` positions.
POSENC_API Encoding with_drawn(const Encoding& encoding, std::uint64_t seed = 0, std::int64_t positions = 64);

// Adds an encoding to the options of attention: a rotation, PoPE, xPos, a temperature, a bias or a score term, with its
// learned numbers. The options keep the objects that they point to. Encodings at the input, and none, change nothing.
// Throws if the options already have an encoding of that sort, or if learned numbers, the layer or the sequence length
// are missing.
POSENC_API void add_encoding(AttendOptions& options, const Encoding& encoding);

struct EncodingOptions {
  // Choices that a spec leaves open, and the part and layer of a model.
  std::optional<std::int64_t> sequence_length = {};
  std::optional<std::int64_t> layer = {};
  std::string part = {};
  ModelOptions model = {};
  // Fills in missing fields with example values, as complete_spec does; but not sizes if learned numbers are given.
  std::optional<ExampleSize> example = {};

  // Learned numbers. A file is table.npy or model.safetensors:tensor.
  std::vector<std::string> files = {};       // the table; concat: one per learned part, in order or as PART=FILE;
                                             // inside attention: the first parameter, or all parameters by name
  std::vector<std::string> parameters = {};  // name=file or name=0.5/0/-0.5
  std::string values = {};                   // the first parameter: 0.5/0/-0.5
  std::string init = {};                     // random numbers instead of files: "normal" or "uniform"
  std::optional<double> std = {};            // their standard deviation: 0.02
  std::optional<std::uint64_t> seed = {};    // 0

  Missing missing = Missing::error;
  std::uint64_t drawn_seed = 0;

  bool makes_table() const { return !init.empty() || std || seed; }
  bool has_table() const { return !files.empty() || !init.empty(); }
  bool reads_numbers() const { return !files.empty() || !parameters.empty() || !values.empty(); }
  bool has_numbers() const { return has_table() || makes_table() || !parameters.empty() || !values.empty(); }
};

// Reads a text as a spec or a model. Tries in this order: a known kind with fields, a file (a posenc spec, a
// config.json or its folder, a GGUF), an alias of a kind or a name in the catalog. Otherwise throws an Error that
// suggests the nearest name. A file is opened once.
POSENC_API std::variant<Spec, Model> load_spec_or_model(const std::string& text, const ModelOptions& options = {});

// The group of a model that contains the layer of the part. Without a part, the text part is used. Throws if the groups
// of the part differ and no layer is given, or if posenc does not compute the group.
POSENC_API const ModelGroup& chosen_group(const Model& model, const std::optional<std::int64_t>& layer,
                                          const std::string& part);
// Throws if the model has no such part; the message lists its parts.
POSENC_API void check_part(const Model& model, std::string_view part);

// Returns the encoding of a text with its learned numbers: find_encoding, then with_learned.
POSENC_API Encoding load_encoding(const std::string& text, const EncodingOptions& options = {});

// Returns the encoding without learned numbers or schedules: only the spec, the texts and the model are set. Throws if
// a part, a layer or a length is given that the encoding does not depend on.
POSENC_API Encoding find_encoding(const std::string& text, const EncodingOptions& options = {});
// The same for several texts with shared options. Each choice applies to the encodings that depend on it; throws if
// none does.
POSENC_API std::vector<Encoding> find_encodings(const std::vector<std::string>& texts,
                                                const EncodingOptions& options = {});
// Throws if the options choose a part, a layer or a length that no spec depends on. `models`: whether any spec belongs
// to a model. `texts`: what was typed, for the message.
POSENC_API void check_choices(const std::vector<std::string>& texts, const std::vector<Spec>& specs, bool models,
                              const EncodingOptions& options);
// The same encoding with the learned numbers of the options, which replace existing ones of the same name. Throws for
// numbers that the encoding cannot have.
POSENC_API Encoding with_learned(const Encoding& encoding, const EncodingOptions& options);
// The same for several encodings that are used together. A parameter goes to the encoding that has it; if several do,
// write the kind before it (shaw.values=r.npy). A file or values go to the only encoding that needs a first parameter,
// else to the only one that can have one. Throws if numbers fit no encoding, or more than one.
POSENC_API std::vector<Encoding> with_learned(std::vector<Encoding> encodings, const EncodingOptions& options);

// Throws unless `table`, read from `file`, holds finite floats and has the shape [rows, width] or [1, rows, width].
POSENC_API void check_learned_table(const Array& table, const std::string& file);
// Throws if a table is given for a kind that has none.
POSENC_API void refuse_table(const Spec& spec, const EncodingOptions& options);
// Parses "0.5/0/-0.5". Throws with a message that starts with `option` if the text is something else.
POSENC_API std::vector<double> slashed_numbers(const std::string& text, const char* option);

}  // namespace posenc
