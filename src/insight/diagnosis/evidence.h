// The numbers that were seen, and what an engine as it may be would have made of the same input.
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

// What an engine makes of some tokens: [tokens][width] each.
struct Prediction {
  std::vector<double> value;
  std::vector<double> size;   // of the numbers that meet in a value, for its rounding; empty: that of the row
  std::vector<double> angle;  // radians behind a value, for float32's error; empty: none
};

// Rows of numbers, one per token. Immutable but for what it remembers.
class Evidence {
 public:
  virtual ~Evidence() = default;

  // Of tokens first .. first + count; false where such an engine makes no numbers of this shape.
  virtual bool predict(const Engine& engine, std::int64_t first, std::int64_t count, Prediction& out) const = 0;
  // The same for a few tokens and heads, for a first look.
  virtual std::unique_ptr<Evidence> sample(std::int64_t tokens) const = 0;
  // Angles by the channels that this engine turns; null where these numbers show none.
  virtual std::shared_ptr<const Measured> measure(const Engine& engine) const;
  // What a column of a row is called, and its number there.
  virtual std::string channel_name() const = 0;
  virtual std::int64_t channel_of(std::int64_t column) const { return column; }
  virtual std::string position_text(std::int64_t row) const;

  // Gives up, with an infinite rms, once it is sure to be above `give_up`.
  Fit fit(const Engine& engine, double give_up = 1e300) const;
  // What the engine's numbers must be multiplied by to come nearest to those seen; none where it makes none.
  std::optional<double> best_scale(const Engine& engine) const;
  Diagnosis::ErrorMap errors(const Engine& engine) const;
  // The first number that two engines make differently, by more than the type's rounding.
  std::optional<Separation> separation(const Engine& best, const Engine& other) const;

  const Ids& ids() const { return ids_; }
  std::int64_t rows() const { return static_cast<std::int64_t>(tokens_.size()); }
  std::int64_t width() const { return width_; }
  std::int64_t token(std::int64_t row) const { return tokens_[static_cast<std::size_t>(row)]; }
  std::int64_t head_dim() const { return head_dim_; }
  Rounding type() const { return type_; }
  const Tolerance& tolerance() const { return tolerance_; }
  // Tokens that are predicted at a time: where what all share is expensive, more of them.
  virtual std::int64_t rows_at_once() const { return 32; }
  virtual std::int64_t rows_in_haste() const { return 2; }
  // The last position of keys, where there are keys.
  virtual std::optional<double> last_key() const { return std::nullopt; }
  // What is not worth telling apart: a residual below it is rounding.
  virtual double floor() const { return 0.3 * half_unit(type_) + 2e-8; }

 protected:
  // Compares a row with what `block`, which begins at row `first`, predicts; false if a predicted number is not finite.
  bool add_row(FitSum& sum, const Prediction& block, std::int64_t first, std::int64_t row) const;
  // Sets what follows from the numbers: to be called once they are there.
  // `outliers`: whether a few columns may be much larger than the others.
  void settle(Rounding type, bool outliers = false);

  Ids ids_;                           // of all tokens
  std::vector<std::int64_t> tokens_;  // which token a row is
  std::int64_t width_ = 0;
  std::int64_t head_dim_ = 0;     // of what turns; 0: nothing does
  std::vector<double> observed_;  // [rows][width]; NaN: masked
  std::vector<double> row_size_;  // [rows]: the root mean square of a row, or of all where it is empty
  Rounding type_ = Rounding::none;
  Tolerance tolerance_;
};

// Tokens that show most: the first, the last, some between, and where positions jump.
std::vector<std::int64_t> telling_tokens(const Ids& ids, std::int64_t count);

// The plan of a rotary engine for this evidence, made once.
const HeadPlan& plan_of(const Engine& engine, std::int64_t head_dim);

// Where the head of a spec begins in vectors of this width: they may be whole heads of latent attention, or only the
// channels that turn. None where they are neither.
struct Placed {
  std::int64_t start = 0;
  std::string words = {};  // what is unusual about it
};
std::optional<Placed> place_in_head(const Rotary& spec, const std::optional<LatentHead>& latent, std::int64_t width);

struct EvidenceOptions {
  const DiagnoseOptions* options = nullptr;
  std::vector<std::string>* notes = nullptr;  // what was recognised
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
