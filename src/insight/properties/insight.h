// What there is to say and to show of every kind: a new kind adds one file of src/insight/ and its line in insight_of.
#pragma once

#include <string_view>
#include <vector>

#include "posenc/insight/check.h"
#include "posenc/insight/subject.h"
#include "posenc/models/encoding.h"

namespace posenc::properties {

struct KindInsight {
  KindFacts (*facts)(const Spec& spec) = nullptr;
  // The properties, in the order in which they are told.
  std::vector<Property> (*properties)(const Encoding& numbers, const CheckOptions& options) = nullptr;
  // The figures that fit it, by name, in the order in which a report shows them.
  std::vector<std::string_view> figures;
};

const KindInsight& insight_of(const Spec& spec);

}  // namespace posenc::properties
