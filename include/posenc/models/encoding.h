// One encoding with everything that it needs: its spec, its learned numbers, and what is computed from both.
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
// An Encoding is immutable and cheap to copy, and may be shared between threads. Views that it hands out are valid as
// long as it or a copy lives. Messages name options as the command line has them: --file is EncodingOptions::files.
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

// The learned table's spec of a kind at the input that has one, else null.
POSENC_API const Learned* learned_part(const Spec& spec) noexcept;

class POSENC_API Encoding {
 public:
  // Without learned numbers: make_encoding(spec, {}, Missing::leave).
  Encoding(const Spec& spec);  // NOLINT(*-explicit-*): what takes an encoding takes a spec

  const Spec& spec() const noexcept POSENC_LIFETIMEBOUND;
  Place place() const noexcept { return place_of(spec()); }
  // As commands name it: what was typed, or the text of the spec where that was a model or left something open.
  const std::string& text() const noexcept POSENC_LIFETIMEBOUND;
  const std::string& data_text() const noexcept
      POSENC_LIFETIMEBOUND;          // the options that give its learned numbers again: "--file wpe.npy"
  std::string command_text() const;  // both, as a shell reads them
  // Where it is that of a model, else null. The spec of the group leaves the length of the sequence open.
  const Model* model() const noexcept POSENC_LIFETIMEBOUND;
  const ModelGroup* group() const noexcept POSENC_LIFETIMEBOUND;

  // Learned numbers.
  ConstView table() const noexcept POSENC_LIFETIMEBOUND;  // of learned and hybrid, [R, M]; rank 0 where there is none
  const std::vector<ConstView>& tables() const noexcept
      POSENC_LIFETIMEBOUND;  // of concat: one per learned part, in their order
  const Parameters& parameters() const noexcept POSENC_LIFETIMEBOUND;  // of what acts inside attention
  bool drawn() const noexcept;                                         // whether they were drawn, and ...
  std::string drawn_text() const;                                      // ... the sentence that says so; empty otherwise

  // Schedules; none of other kinds, and none of a rotary encoding that leaves its layer or the length open.
  const std::optional<SinusoidalSchedule>& sinusoidal() const noexcept
      POSENC_LIFETIMEBOUND;  // or the fixed part of a hybrid
  const std::optional<FourierSchedule>& fourier() const noexcept POSENC_LIFETIMEBOUND;
  // Of a rotary encoding; of xpos its rotation, of pope its angles, one pair per channel.
  const std::optional<RotarySchedule>& rotary() const noexcept POSENC_LIFETIMEBOUND;

  // Of an encoding at the input; others, and one without its table, are errors.
  InputRows rows() const POSENC_LIFETIMEBOUND;
  std::int64_t width() const { return width_of(rows()); }
  double largest() const;                         // no value of a row is larger
  std::optional<std::int64_t> positions() const;  // that have a row without a rule past the end; none: all have
  // Places to look at where nobody says which, [places][axes], row by row: 64 on one axis, 12 x 16 on two, 4 x 6 x 8 on
  // three, 2 per axis on more; fewer where a learned table ends.
  std::vector<std::int64_t> small_grid() const;

  // Of what acts on scores; none where learned numbers that it needs were left out.
  const std::optional<Bias>& bias() const noexcept POSENC_LIFETIMEBOUND;  // masks too
  const std::optional<ScoreTerm>& term() const noexcept POSENC_LIFETIMEBOUND;
  std::int64_t heads() const noexcept;  // of what has heads, else 1

 private:
  friend struct models::EncodingState;  // makes them, never of nothing
  explicit Encoding(std::shared_ptr<const models::EncodingState> state) : state_(std::move(state)) {}

  std::shared_ptr<const models::EncodingState> state_;
};

// What happens where learned numbers that an encoding needs are not given.
enum class Missing : int {
  error,
  leave,  // it goes without: there is a spec, but no rows, no bias and no term
  draw,   // drawn as a model begins: normal, standard deviation 0.02 for tables and 1 / sqrt(D) for what meets queries
};

// Numbers in memory: those that the kind has.
struct LearnedNumbers {
  std::optional<Array> table;                             // of learned and hybrid, [R, M]
  std::vector<Array> tables;                              // of concat
  std::vector<std::pair<std::string, Array>> parameters;  // by the names of posenc/parameters.h
};

// Throws what validate(spec) throws, and where the numbers do not fit the spec.
POSENC_API Encoding make_encoding(const Spec& spec, LearnedNumbers numbers = {}, Missing missing = Missing::error,
                                  std::uint64_t seed = 0);

// The same encoding, with what is missing drawn. A matrix by position covers `positions` if its spec does not say how
// many.
POSENC_API Encoding with_drawn(const Encoding& encoding, std::uint64_t seed = 0, std::int64_t positions = 64);

// Lets attention use an encoding: a rotation, PoPE, xPos, a temperature, a bias or a score term, with what it learned.
// The options keep what they need of the encoding. What acts at the input, and none, change nothing. Throws where the
// options have one of that sort already, and where the encoding lacks learned numbers, its layer or the length.
POSENC_API void add_encoding(AttendOptions& options, const Encoding& encoding);

struct EncodingOptions {
  // What a spec leaves open, and which encoding of a model is meant.
  std::optional<std::int64_t> sequence_length = {};
  std::optional<std::int64_t> layer = {};
  std::string part = {};
  ModelOptions model = {};

  // Learned numbers. A file is table.npy or model.safetensors:tensor.
  std::vector<std::string> files = {};  // the table; of a concat one per learned part, in order or as PART=FILE; of
                                        // what acts inside attention its first parameter, or all by their names
  std::vector<std::string> parameters = {};  // name=file or name=0.5/0/-0.5
  std::string values = {};                   // the first parameter: 0.5/0/-0.5
  std::string init = {};                     // a table that is made instead: "normal" or "uniform"
  std::optional<double> std = {};            // of it: 0.02
  std::optional<std::uint64_t> seed = {};    // of it: 0

  Missing missing = Missing::error;
  std::uint64_t drawn_seed = 0;

  bool makes_table() const { return !init.empty() || std || seed; }
  bool has_table() const { return !files.empty() || !init.empty(); }
  bool has_numbers() const { return has_table() || makes_table() || !parameters.empty() || !values.empty(); }
};

// What a text names: a spec or a model. Tried in this order: a known kind with fields, a file (a posenc spec, a
// config.json or the folder that has it, a GGUF), a name of the catalog. Anything else is an error that says what was
// tried and names the nearest. A file is opened once.
POSENC_API std::variant<Spec, Model> load_spec_or_model(const std::string& text, const ModelOptions& options = {});

// The group of a model that a layer and a part mean. Where the groups of a part differ, a layer must be given; the
// text's part is taken where no part is given. A group that posenc does not compute is an error.
POSENC_API const ModelGroup& chosen_group(const Model& model, const std::optional<std::int64_t>& layer,
                                          const std::string& part);
// Throws where the model has no such part; says which it has.
POSENC_API void check_part(const Model& model, std::string_view part);

// The encoding that a text names, with its learned numbers: find_encoding and with_learned.
POSENC_API Encoding load_encoding(const std::string& text, const EncodingOptions& options = {});

// Without learned numbers, and nothing computed yet: only the spec, the texts and the model are there. A part, a layer
// or a length for what does not depend on it is an error.
POSENC_API Encoding find_encoding(const std::string& text, const EncodingOptions& options = {});
// The same for several texts, which share the options: each choice is for those that depend on it, and one that none
// depends on is an error.
POSENC_API std::vector<Encoding> find_encodings(const std::vector<std::string>& texts,
                                                const EncodingOptions& options = {});
// Throws where the options choose a part, a layer or a length that nothing depends on: `specs` is what there is to
// choose from, `models` whether some of it is a model's, `texts` what was typed.
POSENC_API void check_choices(const std::vector<std::string>& texts, const std::vector<Spec>& specs, bool models,
                              const EncodingOptions& options);
// The same encoding with the learned numbers of the options, which replace those of the same name that it has already;
// what it cannot have is an error.
POSENC_API Encoding with_learned(const Encoding& encoding, const EncodingOptions& options);
// The same of several that are used together: a parameter goes to the one that has its name, or whose kind stands in
// front of it (shaw.values=r.npy); a file or values to the only one that needs a first parameter, or else that can have
// one. What has no place, or two, is an error.
POSENC_API std::vector<Encoding> with_learned(std::vector<Encoding> encodings, const EncodingOptions& options);

// Throws unless an array read from `file` is a table of finite floats, [rows, width] or [1, rows, width].
POSENC_API void check_learned_table(const Array& table, const std::string& file);
// Throws where a table is given for a kind that has none.
POSENC_API void refuse_table(const Spec& spec, const EncodingOptions& options);
// "0.5/0/-0.5"; `option` opens the message where it is something else.
POSENC_API std::vector<double> slashed_numbers(const std::string& text, const char* option);

}  // namespace posenc
