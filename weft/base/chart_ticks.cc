// Round tick values, and labels with enough digits to distinguish them.
#include "weft/base/chart_ticks.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace weft {
namespace {

std::string printed(const char* format, int digits, double value) {
  char out[400];
  std::snprintf(out, sizeof out, format, digits, value);
  return out;
}

}  // namespace

std::vector<double> ticks(double low, double high, int most, bool is_whole) {
  if (high <= low) {
    const double spread = low != 0 ? std::abs(low) * 0.1 : 1.0;
    low -= spread, high += spread;
  }
  const double rough = (high - low) / most;
  const double power = std::pow(10.0, std::floor(std::log10(rough)));
  double step = 10.0 * power;
  for (const double k : {5.0, 2.5, 2.0, 1.0}) {
    if (k * power >= rough * (1 - 1e-9)) step = k * power;
  }
  if (is_whole) step = std::max(1.0, std::ceil(step));
  std::vector<double> out;
  const double last = std::ceil(high / step - 1e-9);
  for (double k = std::floor(low / step + 1e-9); k <= last; ++k) out.push_back(k * step);
  return out;
}

std::string label(double value, double step) {
  if (value == 0) return "0";
  if (std::abs(value) >= 1e6 || step < 1e-5) {  // 2e6, 2e-6
    std::string out = printed("%.*g", 3, value);
    const size_t mark = out.find('e');
    if (mark == std::string::npos) return out;
    if (out[mark + 2] == '0') out.erase(mark + 2, 1);
    if (out[mark + 1] == '+') out.erase(mark + 1, 1);
    return out;
  }
  const int digits = std::max(0, -static_cast<int>(std::floor(std::log10(step) + 1e-9)));
  const double scaled = step * std::pow(10.0, digits);
  // The step is a difference of two ticks, so it has a rounding error.
  const bool is_whole = std::abs(scaled - std::nearbyint(scaled)) < 1e-6;
  return printed("%.*f", is_whole ? digits : digits + 1, value);
}

std::vector<std::string> labels(std::span<const double> values, double step) {
  std::vector<std::string> out;
  for (const double value : values) out.push_back(label(value, step));
  return out;
}

}  // namespace weft
