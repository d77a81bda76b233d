// An encoding at the input with everything that it needs: its spec, its numbers, and its learned table if it has one.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/shared_options.h"
#include "posenc/files/array.h"
#include "posenc/input_rows.h"
#include "posenc/schedule.h"
#include "posenc/spec.h"

namespace posenc::cli {

struct Encoding {
  Spec spec;
  std::optional<SinusoidalSchedule> schedule;  // of the fixed part
  std::optional<Array> table;                  // of the learned part, [R, M]
  std::optional<FourierSchedule> fourier;      // of a fourier
  ConcatSchedule parts;                        // of a concat, and ...
  std::vector<Array> tables;                   // ... those of its learned parts

  std::vector<ConstView> table_views() const;

  // Views of the members: valid while this lives where it is.
  InputRows rows() const;
  std::int64_t width() const { return width_of(rows()); }
  // No value of a row is larger.
  double largest() const;
};

// Reads or makes the learned table where the kind has one; a table where it has none, and none where it needs one, are
// errors. So are tables of other than two axes, and values that are no finite numbers.
std::unique_ptr<Encoding> load_encoding(const Spec& spec, const WeightOptions& weights);

// Throws where the kind acts inside attention: there is neither a row to add nor an angle to turn by. Says where to go.
void refuse_attention_kind(const Spec& spec);

// Throws where a table is given for a kind that has none.
void refuse_weights(const Spec& spec, const WeightOptions& weights);

// The learned table alone, [R, M]; a leading axis of 1 is dropped. `spec` says its size where it is made from a seed.
Array load_weights(const Learned& spec, const WeightOptions& weights);

bool is_float(DType dtype);

// A seed or a step as the user wrote it, 0 where it was left out; neither signs nor numbers beyond 64 bits.
std::uint64_t whole_number(const std::string& text, const std::string& option);

// Throws unless an array read from `file` is a table of finite numbers, [rows, width] or [1, rows, width].
void check_learned_table(const Array& table, const std::string& file);

// The options that give this table again: "--file wpe.npy".
std::string weights_text(const WeightOptions& weights);

// Throws unless positions have as many axes as the encoding; `text` is what the user wrote.
void check_input_axes(const Spec& spec, std::int64_t axes, const std::string& text);

// The one file that was given, or none; several are an error: only a concat has several tables.
std::string one_file(const WeightOptions& weights);

}  // namespace posenc::cli
