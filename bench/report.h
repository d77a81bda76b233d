// Formats the results of a benchmark as text and as JSON.
#pragma once

#include <string>
#include <vector>

#include "bench/bench.h"
#include "bench/machine.h"
#include "posenc/files/json.h"

namespace posenc::bench {

// "12.3 us": three digits and a suitable unit.
std::string time_text(double ns);

// An aligned table: best and median time, bytes per second, the share of the limit, and comparison with the peers.
std::string report_text(const Machine& machine, const std::vector<Row>& rows);

// {"schema": "posenc/1", "machine": {...}, "rows": [{"name", "ns", "median_ns", "limit_ns", "ratio", "peers": {},
// ...}]}
Json report_json(const Machine& machine, const std::vector<Row>& rows);

}  // namespace posenc::bench
