// An attention call with any combination of options, as plain numbers: passed to posenc::attend, and to the reference
// with masks and vectors written out pair by pair.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "posenc/attend.h"
#include "posenc/reference.h"
#include "support/head_block.h"
#include "support/typed_block.h"

// A learned parameter of a bias or a term.
struct Numbers {
  std::string name;
  std::vector<std::int64_t> shape;
  std::vector<double> values;

  template <class T>
  static auto view_of(T* data, const std::vector<std::int64_t>& shape) {
    if (shape.size() == 1) return posenc::make_view(data, {shape[0]});
    if (shape.size() == 2) return posenc::make_view(data, {shape[0], shape[1]});
    return posenc::make_view(data, {shape[0], shape[1], shape[2]});
  }
  posenc::Parameter parameter() const { return {name, view_of(values.data(), shape)}; }
};

struct AttendResult {
  std::vector<double> out;          // [B][N][H][Dv]
  std::vector<double> weights;      // [B][H][N][S]
  std::vector<double> log_sum_exp;  // [B][H][N]
};

struct AttendCase {
  std::int64_t batch = 1, queries = 5, keys = 5, heads = 2, key_heads = 2, width = 4, value_width = 4;
  posenc::DType dtype = posenc::DType::f64;
  HeadLayout layout = {};
  std::vector<double> q, k, v;  // [B][N][H][D], ...
  std::optional<posenc::Spec> rotary = {}, bias = {}, term = {};
  std::vector<Numbers> bias_numbers = {}, term_numbers = {};
  posenc::Mask mask = {};
  std::vector<std::int64_t> starts = {}, ends = {}, documents = {};  // [B], [B], [B][S]
  std::vector<std::uint8_t> shown_keys = {}, shown_pairs = {};       // [B][S], [B][N][S]
  std::vector<std::int64_t> query_ids = {}, key_ids = {};            // [B][N], [B][S]
  std::optional<double> scale = {};
  double softcap = 0.0;
  std::vector<double> sinks = {};
  posenc::Dropout dropout = {};

  void fill(unsigned seed);

  static posenc::Parameters parameters(const std::vector<Numbers>& numbers) {
    posenc::Parameters result;
    for (const Numbers& one : numbers) result.push_back(one.parameter());
    return result;
  }

  std::int64_t offset() const {
    return mask.query_offset.value_or(mask.causal == posenc::Causal::start ? 0 : keys - queries);
  }
  std::int64_t query_position(std::int64_t b, std::int64_t n) const {
    return query_ids.empty() ? n + offset() : query_ids[index(b * queries + n)];
  }
  std::int64_t key_position(std::int64_t b, std::int64_t s) const {
    return key_ids.empty() ? s : key_ids[index(b * keys + s)];
  }
  static std::size_t index(std::int64_t i) { return static_cast<std::size_t>(i); }

  // Applies the rules of a mask, one after the other, to one pair.
  bool sees(std::int64_t b, std::int64_t n, std::int64_t s) const;

  // The objects that the options of a call point to.
  struct Call {
    std::optional<posenc::RotaryAngles> angles;
    std::optional<posenc::Bias> bias;
    std::optional<posenc::ScoreTerm> term;
    posenc::AttendOptions options;
  };
  std::unique_ptr<Call> call() const;

  // Returns posenc's result; sets `whole` to whether only outputs were written.
  AttendResult run(const posenc::Workers* workers = nullptr, bool* whole = nullptr) const;

  // Returns the result of the reference.
  AttendResult expected() const;

 private:
  std::vector<double> turned(const std::vector<double>& x, std::int64_t b, std::int64_t tokens, std::int64_t x_heads,
                             bool is_query) const;

  const std::vector<double>* numbers_of(const std::vector<Numbers>& list, const std::string& name) const;

  posenc::reference::Attention problem(std::int64_t b, const std::vector<double>& own_q,
                                       const std::vector<double>& own_k) const;

  // The bias as given by fill_bias, which bias_test.cc compares with the reference.
  posenc::reference::Attention::OfPair bias_of(std::int64_t b, double score_scale) const;

  // Adds vectors per offset, written out: `vector(h, n, s)` is the row of the pair, or null.
  void add_term(std::int64_t b, const std::vector<double>& own_q, const std::vector<double>& own_k,
                posenc::reference::Attention& result) const;
};
