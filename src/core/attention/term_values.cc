#include "core/attention/term_values.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "core/base/refuse.h"
#include "posenc/schedule.h"
#include "posenc/table.h"

namespace posenc::attention {
namespace {

constexpr std::int64_t kMaxNumbers = std::int64_t{1} << 28;  // limit for projected rows: a gigabyte of float32

struct Ends {
  std::int64_t low;
  std::int64_t high;
};

Ends ends_of(const PositionView& positions) {
  Ends ends{positions.integer(0, 0), positions.integer(0, 0)};
  if (positions.source == PositionView::Source::range) {
    const std::int64_t last = positions.integer(0, positions.count - 1);
    return {std::min(ends.low, last), std::max(ends.high, last)};
  }
  for (std::int64_t b = 0; b < positions.batch; ++b) {
    for (std::int64_t n = 0; n < positions.count; ++n) {
      ends.low = std::min(ends.low, positions.integer(b, n));
      ends.high = std::max(ends.high, positions.integer(b, n));
    }
  }
  return ends;
}

// The smallest and largest offset key - query.
Ends offsets_of(const PositionView& queries, const PositionView& keys) {
  const Ends q = ends_of(queries);
  const Ends k = ends_of(keys);
  return {k.low - q.high, k.high - q.low};
}

// The rows that a spec needs for these offsets: row r is for sign * (key - query) = first + r.
struct RowRange {
  std::int64_t first = 0;
  std::int64_t rows = 0;
  std::int64_t sign = 1;
};

RowRange range_of(const Spec& spec, const PositionView& queries, const PositionView& keys) {
  if (const auto* shaw = std::get_if<Shaw>(&spec)) {
    return {-shaw->left, shaw->left + shaw->right + 1, shaw->offset == Offset::key_minus_query ? 1 : -1};
  }
  const std::int64_t clamp = std::get<TransformerXl>(spec).clamp_distance;
  Ends offsets = offsets_of(queries, keys);
  if (clamp > 0) offsets = {std::clamp(offsets.low, -clamp, clamp), std::clamp(offsets.high, -clamp, clamp)};
  // Row d is for the distance query - key.
  return {-offsets.high, offsets.high - offsets.low + 1, -1};
}

// The sinusoidal rows of distances first to first + rows - 1.
std::vector<double> sinusoidal_rows(const TransformerXl& spec, const RowRange& range) {
  std::vector<double> table(static_cast<std::size_t>(range.rows * spec.width));
  const SinusoidalSchedule schedule =
      make_schedule(Sinusoidal{.width = spec.width, .base = spec.base, .order = spec.order});
  fill_table(schedule, PositionView::range(range.first, range.rows), make_view(table.data(), {range.rows, spec.width}));
  return table;
}

template <class Numbers>
void copy(std::span<const double> from, Numbers& to) {
  using Real = typename Numbers::value_type;
  to.resize(from.size());
  std::transform(from.begin(), from.end(), to.begin(), [](double value) { return static_cast<Real>(value); });
}

// Transposes [heads][rows][width] to [heads][width][rows].
template <class Real>
base::AlignedVector<Real> transposed(const base::AlignedVector<Real>& from, std::int64_t rows, std::int64_t width) {
  base::AlignedVector<Real> to(from.size());
  const std::int64_t heads = static_cast<std::int64_t>(from.size()) / (rows * width);
  for (std::int64_t h = 0; h < heads; ++h) {
    for (std::int64_t r = 0; r < rows; ++r) {
      for (std::int64_t c = 0; c < width; ++c) {
        to[static_cast<std::size_t>((h * width + c) * rows + r)] =
            from[static_cast<std::size_t>((h * rows + r) * width + c)];
      }
    }
  }
  return to;
}

Spec checked(const Spec& spec) {
  validate(spec);
  if (place_of(spec) == Place::term) return spec;
  base::refuse("ScoreTerm", "spec must be shaw or transformer_xl but is ", kind_of(spec));
}

}  // namespace

TermValues::TermValues(const Spec& spec, const Parameters& parameters)
    : spec_(checked(spec)), parameters_(spec, parameters, "ScoreTerm") {
  if (!parameters_.per_head("keys") || !parameters_.per_head("values")) return;
  if (parameters_.shape("keys")[0] == parameters_.shape("values")[0]) return;
  base::refuse("ScoreTerm", "keys and values must have the same number of heads but have ",
               parameters_.shape("keys")[0], " and ", parameters_.shape("values")[0]);
}

std::int64_t TermValues::heads() const noexcept {
  if (const auto* xl = std::get_if<TransformerXl>(&spec_)) return xl->heads;
  for (const char* name : {"keys", "values"}) {
    if (parameters_.per_head(name)) return parameters_.shape(name)[0];
  }
  return 0;
}

std::int64_t TermValues::head_dim() const noexcept {
  if (const auto* xl = std::get_if<TransformerXl>(&spec_)) return xl->head_dim;
  return std::get_if<Shaw>(&spec_)->head_dim;
}

std::int64_t TermValues::value_width() const noexcept {
  return parameters_.has("values") ? parameters_.shape("values").back() : 0;
}

void TermValues::check(const TermShape& shape, const PositionView& queries, const PositionView& keys,
                       std::string_view where) const {
  const auto refuse = [&](const auto&... parts) { base::refuse(where, "the ", kind_of(spec_), " term ", parts...); };
  if (heads() != 0 && heads() != shape.heads) {
    refuse("must have as many heads as q, ", shape.heads, ", but has ", heads());
  }
  if (head_dim() != shape.width) {
    refuse("must have head_dim ", shape.width, " like q but has ", head_dim());
  }
  if (value_width() != 0 && value_width() != shape.value_width) {
    refuse("must have vectors of ", shape.value_width, " channels for values but has ", value_width());
  }
  if (!queries.integral() || !keys.integral()) refuse("needs integer positions but they are f64");
  if (queries.count == 0 || keys.count == 0) return;
  const Ends offsets = offsets_of(queries, keys);
  const auto* shaw = std::get_if<Shaw>(&spec_);
  if (shaw == nullptr) {
    const std::int64_t rows = range_of(spec_, queries, keys).rows;
    if (rows <= kMaxNumbers / (heads() * head_dim())) return;
    refuse("has a row for every distance between the smallest and the largest, for these heads at most ",
           kMaxNumbers / (heads() * head_dim()), " rows, but positions span ", rows);
  }
  if (shaw->past != PastTable::error) return;
  const bool forward = shaw->offset == Offset::key_minus_query;
  const std::int64_t low = forward ? offsets.low : -offsets.high;
  const std::int64_t high = forward ? offsets.high : -offsets.low;
  if (low < -shaw->left || high > shaw->right) {
    refuse("has vectors for offsets ", -shaw->left, " to ", shaw->right, " (past=error) but positions have offsets ",
           low, " to ", high);
  }
}

template <class Real>
TermRows<Real>::TermRows(const TermValues& values, const PositionView& queries, const PositionView& keys)
    : width_(values.head_dim()), value_width_(values.value_width()) {
  const RowRange range = range_of(values.spec(), queries, keys);
  first_ = range.first;
  rows_ = range.rows;
  sign_ = range.sign;
  const spec::BoundParameters& parameters = values.parameters();
  if (const auto* shaw = std::get_if<Shaw>(&values.spec())) {
    zero_past_ = shaw->past == PastTable::zero;
    meets_keys_ = shaw->term == ShawTerm::query_and_key;
    keys_per_head_ = parameters.per_head("keys");
    copy(parameters.numbers("keys"), keys_);
    if (parameters.has("values")) {
      values_per_head_ = parameters.per_head("values");
      copy(parameters.numbers("values"), values_);
    }
  } else {
    const auto& xl = std::get<TransformerXl>(values.spec());
    keys_per_head_ = true;
    copy(parameters.numbers("u"), u_);
    copy(parameters.numbers("v"), v_);
    const std::vector<double> table = sinusoidal_rows(xl, range);
    const std::span<const double> weight = parameters.numbers("position_weight");
    keys_.resize(static_cast<std::size_t>(xl.heads * rows_ * width_));
    for (std::int64_t h = 0; h < xl.heads; ++h) {
      for (std::int64_t r = 0; r < rows_; ++r) {
        for (std::int64_t c = 0; c < width_; ++c) {
          const double* row = weight.data() + (h * width_ + c) * xl.width;
          double sum = 0.0;
          for (std::int64_t m = 0; m < xl.width; ++m) sum += row[m] * table[static_cast<std::size_t>(r * xl.width + m)];
          keys_[static_cast<std::size_t>((h * rows_ + r) * width_ + c)] = static_cast<Real>(sum);
        }
      }
    }
  }
  columns_ = transposed(keys_, rows_, width_);
  if (has_values()) value_columns_ = transposed(values_, rows_, value_width_);
}

template <class Real>
std::int64_t TermRows<Real>::row(std::int64_t query, std::int64_t key) const noexcept {
  const std::int64_t row = sign_ * (key - query) - first_;
  if (row >= 0 && row < rows_) return row;
  return zero_past_ ? -1 : row < 0 ? 0 : rows_ - 1;
}

template class TermRows<float>;
template class TermRows<double>;

namespace {

// Adds the sums of several heads if they share the vectors, else concatenates them.
std::vector<double> joined(const std::vector<TermSums>& heads, std::vector<double> TermSums::*part, bool per_head) {
  std::vector<double> sums;
  for (const TermSums& head : heads) {
    const std::vector<double>& own = head.*part;
    if (per_head || sums.empty()) {
      sums.insert(sums.end(), own.begin(), own.end());
    } else {
      std::transform(own.begin(), own.end(), sums.begin(), sums.begin(), std::plus<>());
    }
  }
  return sums;
}

}  // namespace

void store_term_gradients(const TermValues& values, const PositionView& queries, const PositionView& keys,
                          const std::vector<TermSums>& heads, const Gradients& gradients) {
  const spec::BoundParameters& parameters = values.parameters();
  const auto* xl = std::get_if<TransformerXl>(&values.spec());
  if (xl == nullptr) {
    for (const auto& [name, part] : {std::pair{"keys", &TermSums::keys}, std::pair{"values", &TermSums::values}}) {
      const Gradient* gradient = spec::find_gradient(gradients, name);
      if (gradient == nullptr) continue;
      spec::add_to_gradient(joined(heads, part, parameters.per_head(name)), gradient->value);
    }
    return;
  }
  for (const auto& [name, part] : {std::pair{"u", &TermSums::u}, std::pair{"v", &TermSums::v}}) {
    if (const Gradient* gradient = spec::find_gradient(gradients, name)) {
      spec::add_to_gradient(joined(heads, part, true), gradient->value);
    }
  }
  const Gradient* gradient = spec::find_gradient(gradients, "position_weight");
  if (gradient == nullptr) return;
  const RowRange range = range_of(values.spec(), queries, keys);
  const std::vector<double> table = sinusoidal_rows(*xl, range);
  std::vector<double> weight(static_cast<std::size_t>(xl->heads * xl->head_dim * xl->width));
  for (std::int64_t h = 0; h < xl->heads; ++h) {
    const std::vector<double>& rows = heads[static_cast<std::size_t>(h)].keys;
    for (std::int64_t r = 0; r < range.rows; ++r) {
      for (std::int64_t c = 0; c < xl->head_dim; ++c) {
        const double g = rows[static_cast<std::size_t>(r * xl->head_dim + c)];
        double* out = weight.data() + (h * xl->head_dim + c) * xl->width;
        for (std::int64_t m = 0; m < xl->width; ++m) out[m] += g * table[static_cast<std::size_t>(r * xl->width + m)];
      }
    }
  }
  spec::add_to_gradient(weight, gradient->value);
}

}  // namespace posenc::attention
