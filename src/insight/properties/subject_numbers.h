// The numbers of a subject: its schedules, rows, bias or term, with learned numbers drawn where none were given.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "posenc/bias.h"
#include "posenc/input_rows.h"
#include "posenc/insight/subject.h"
#include "posenc/schedule.h"
#include "posenc/score_term.h"

namespace posenc::properties {

using posenc::learned_part;

class SubjectNumbers {
 public:
  // Throws what validate(spec) throws, and where learned numbers do not fit the spec.
  explicit SubjectNumbers(const Subject& subject, std::uint64_t seed = 0);
  SubjectNumbers(const SubjectNumbers&) = delete;  // rows() points into it
  SubjectNumbers& operator=(const SubjectNumbers&) = delete;

  const Spec& spec() const noexcept { return subject_.spec; }
  Place place() const noexcept { return place_of(subject_.spec); }
  // As commands name it: the text of the spec and the options of its data.
  std::string command_text() const;

  // Of an encoding at the input.
  InputRows rows() const;
  std::int64_t width() const { return width_of(rows()); }
  const ConstView& table() const noexcept { return table_; }  // the learned part; rank 0 where there is none
  const std::vector<ConstView>& tables() const noexcept { return tables_; }  // of a concat's learned parts
  // How many positions have a row without a rule past the end; none: all have.
  std::optional<std::int64_t> positions() const;

  // Places to look at where nobody says which, [places][axes], row by row: 64 on one axis, 12 x 16 on two, 4 x 6 x 8 on
  // three, 2 per axis on more; fewer where a learned table ends.
  std::vector<std::int64_t> small_grid() const;

  const std::optional<SinusoidalSchedule>& sinusoidal() const noexcept { return sinusoidal_; }  // or the fixed part
  const std::optional<FourierSchedule>& fourier() const noexcept { return fourier_; }
  // Of a rotary encoding; of xpos its rotation, of pope its angles, one pair per channel.
  const std::optional<RotarySchedule>& rotary() const noexcept { return rotary_; }
  const std::optional<Bias>& bias() const noexcept { return bias_; }  // masks too
  const std::optional<ScoreTerm>& term() const noexcept { return term_; }
  std::int64_t heads() const noexcept;  // of what has heads, else 1
  const Parameters& parameters() const noexcept { return parameters_; }

  // Whether learned numbers were drawn, and the sentence that says so; empty otherwise.
  bool drawn() const noexcept { return drawn_; }
  std::string drawn_text() const;

 private:
  void find_table(std::uint64_t seed);
  std::optional<std::int64_t> rows_along(std::int64_t axis) const;
  void find_tables(const Concat& spec, std::uint64_t seed);
  void find_parameters(std::uint64_t seed);
  std::vector<double>& draw(std::int64_t rows, std::int64_t columns, double std, std::uint64_t seed);

  Subject subject_;
  std::optional<SinusoidalSchedule> sinusoidal_;
  std::optional<FourierSchedule> fourier_;
  ConcatSchedule parts_;  // of a concat
  std::optional<RotarySchedule> rotary_;
  std::optional<Bias> bias_;
  std::optional<ScoreTerm> term_;
  ConstView table_;
  std::vector<ConstView> tables_;
  Parameters parameters_;
  std::vector<ParameterInfo> infos_;                           // the names that parameters_ points to
  std::vector<std::unique_ptr<std::vector<double>>> numbers_;  // what was drawn
  bool drawn_ = false;
};

}  // namespace posenc::properties
