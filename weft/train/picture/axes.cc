// The lines and labels of a panel.
#include "weft/train/picture/axes.h"

#include <cmath>

namespace weft::train {

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
