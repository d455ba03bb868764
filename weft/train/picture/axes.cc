// Ticks, labels and the lines of a panel.
#include "weft/train/picture/axes.h"

#include <algorithm>
#include <cmath>

#include "weft/train/picture/numbers.h"

namespace weft::train {

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
    std::string out = general(value, 3);
    const size_t mark = out.find('e');
    if (mark == std::string::npos) return out;
    if (out[mark + 2] == '0') out.erase(mark + 2, 1);
    if (out[mark + 1] == '+') out.erase(mark + 1, 1);
    return out;
  }
  const int digits = std::max(0, -static_cast<int>(std::floor(std::log10(step) + 1e-9)));
  const double scaled = step * std::pow(10.0, digits);
  // Steps are differences of ticks, with their rounding.
  const bool is_whole = std::abs(scaled - std::nearbyint(scaled)) < 1e-6;
  return fixed(value, is_whole ? digits : digits + 1);
}

std::vector<std::string> labels(std::span<const double> values, double step) {
  std::vector<std::string> out;
  for (const double value : values) out.push_back(label(value, step));
  return out;
}

Point Panel::at(double x, double y) const {
  const double part_x = (x - low_x) / (high_x - low_x), part_y = (y - low_y) / (high_y - low_y);
  return {left + part_x * (right - left), bottom - part_y * (bottom - top)};
}

void Panel::grid(std::span<const double> ticks_x, std::span<const double> ticks_y,
                 std::span<const std::string> labels_x,
                 std::span<const std::string> labels_y) const {
  for (size_t k = 0; k < ticks_y.size(); ++k) {
    const double y = std::nearbyint(at(low_x, ticks_y[k]).y * 2) / 2;
    canvas.box(left, y, right, y + 0.5, kRule);
    canvas.text(left - 6, y + 3.4, labels_y[k], kSoft, 9.5, Align::kRight);
  }
  canvas.box(left, bottom, right, bottom + 1, kSoft);
  for (size_t k = 0; k < ticks_x.size(); ++k) {
    const double x = at(ticks_x[k], low_y).x;
    canvas.box(x - 0.5, bottom, x + 0.5, bottom + 4, kSoft);
    canvas.text(x, bottom + 15, labels_x[k], kSoft, 9.5, Align::kCenter);
  }
}

void Panel::title(std::string_view text, std::string_view below) const {
  canvas.text(left, top - 14, text, kInk, 13);
  canvas.text((left + right) / 2, bottom + 29, below, kSoft, 9.5, Align::kCenter);
}

}  // namespace weft::train
