// The numbers on the axes of charts.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace weft {

// Round numbers from about low to about high, `most` steps or fewer; the first and the last
// enclose both.
std::vector<double> ticks(double low, double high, int most = 5, bool is_whole = false);
// A tick as text, with as many digits as steps of this size need.
std::string label(double value, double step);
std::vector<std::string> labels(std::span<const double> values, double step);

}  // namespace weft
