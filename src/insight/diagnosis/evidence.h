// The observed numbers, and those that a candidate engine would compute from the same input.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "insight/diagnosis/engine.h"
#include "insight/diagnosis/fit.h"
#include "insight/diagnosis/measure.h"
#include "posenc/insight/diagnose.h"

namespace posenc::diagnosis {

// The numbers that an engine computes for some tokens, [tokens][width].
struct Prediction {
  std::vector<double> value;
  std::vector<double> size;   // of the terms of each value, for its rounding; empty: the size of the row
  std::vector<double> angle;  // of each value, in radians, for the error of float32; empty: no angles
};

// Rows of numbers, one per token. Immutable apart from caches.
class Evidence {
 public:
  virtual ~Evidence() = default;

  // Predicts tokens first to first + count - 1; false if the engine computes numbers of another shape.
  virtual bool predict(const Engine& engine, std::int64_t first, std::int64_t count, Prediction& out) const = 0;
  // The same for a few tokens and heads, to reject most candidates early.
  virtual std::unique_ptr<Evidence> sample(std::int64_t tokens) const = 0;
  // The angles, measured in the channels that this engine rotates; null if these numbers show none.
  virtual std::shared_ptr<const Measured> measure(const Engine& engine) const;
  // The name of a column, and its index under that name.
  virtual std::string channel_name() const = 0;
  virtual std::int64_t channel_of(std::int64_t column) const { return column; }
  virtual std::string position_text(std::int64_t row) const;

  // Stops with an infinite rms once the rms is sure to exceed `give_up`.
  Fit fit(const Engine& engine, double give_up = 1e300) const;
  // The factor that brings the engine's numbers closest to the observed ones; none if it computes no numbers.
  std::optional<double> best_scale(const Engine& engine) const;
  Diagnosis::ErrorMap errors(const Engine& engine) const;
  // The first number in which two engines differ by more than the rounding of the type.
  std::optional<Separation> separation(const Engine& best, const Engine& other) const;

  const Ids& ids() const { return ids_; }
  std::int64_t rows() const { return static_cast<std::int64_t>(tokens_.size()); }
  std::int64_t width() const { return width_; }
  std::int64_t token(std::int64_t row) const { return tokens_[static_cast<std::size_t>(row)]; }
  std::int64_t head_dim() const { return head_dim_; }
  Rounding type() const { return type_; }
  const Tolerance& tolerance() const { return tolerance_; }
  // How many tokens are predicted at a time; more if they share expensive work.
  virtual std::int64_t rows_at_once() const { return 32; }
  virtual std::int64_t rows_in_haste() const { return 2; }
  // The last position of the keys, if there are keys.
  virtual std::optional<double> last_key() const { return std::nullopt; }
  // A residual below this is rounding.
  virtual double floor() const { return 0.3 * half_unit(type_) + 2e-8; }

 protected:
  // Compares a row with the prediction in `block`, which starts at row `first`; false if a predicted number is not
  // finite.
  bool add_row(FitSum& sum, const Prediction& block, std::int64_t first, std::int64_t row) const;
  // Sets the members that follow from the numbers; call it after they are set.
  // `outliers`: whether a few columns may be much larger than the others.
  void settle(Rounding type, bool outliers = false);

  Ids ids_;                           // of all tokens
  std::vector<std::int64_t> tokens_;  // the token of each row
  std::int64_t width_ = 0;
  std::int64_t head_dim_ = 0;     // of the rotated vectors; 0 if nothing rotates
  std::vector<double> observed_;  // [rows][width]; NaN: masked
  std::vector<double> row_size_;  // [rows]: the root mean square of a row, or of all rows if it is zero
  Rounding type_ = Rounding::none;
  Tolerance tolerance_;
};

// The tokens that show most: the first, the last, some between, and those where positions jump.
std::vector<std::int64_t> telling_tokens(const Ids& ids, std::int64_t count);

// The plan of a rotary engine for this evidence, computed once.
const HeadPlan& plan_of(const Engine& engine, std::int64_t head_dim);

// Where the head of the spec starts in vectors of this width, which may be whole heads of latent attention or only the
// rotated channels. None if they are neither.
struct Placed {
  std::int64_t start = 0;
  std::string words = {};  // a note about it; may be empty
};
std::optional<Placed> place_in_head(const Rotary& spec, const std::optional<LatentHead>& latent, std::int64_t width);

struct EvidenceOptions {
  const DiagnoseOptions* options = nullptr;
  std::vector<std::string>* notes = nullptr;  // what was recognised in the numbers
};
std::unique_ptr<Evidence> frequency_evidence(const Engine& right, const ObservedFrequencies& seen,
                                             const EvidenceOptions& options);
std::unique_ptr<Evidence> table_evidence(const Engine& right, const ObservedTables& seen,
                                         const EvidenceOptions& options);
std::unique_ptr<Evidence> rotation_evidence(Engine& right, const ObservedRotation& seen,
                                            const EvidenceOptions& options);
std::unique_ptr<Evidence> score_evidence(Engine& right, const ObservedScores& seen, const EvidenceOptions& options);
std::unique_ptr<Evidence> bias_evidence(const Engine& right, const ObservedBias& seen, const EvidenceOptions& options);
std::unique_ptr<Evidence> row_evidence(const Engine& right, const ObservedRows& seen, const EvidenceOptions& options);

}  // namespace posenc::diagnosis
