// draw_curves.
#include <algorithm>
#include <cmath>

#include "weft/base/error.h"
#include "weft/train/picture/axes.h"
#include "weft/train/picture/font.h"
#include "weft/train/picture/numbers.h"
#include "weft/train/picture/pictures.h"

namespace weft::train {
namespace {

constexpr std::string_view kWho = "draw_curves", kPrefix = "val_";
constexpr Color kTraining{0x24, 0x68, 0xb4}, kValidation{0xe0, 0x76, 0x2e};

struct Curve {
  const char* word;
  Color color;
  const std::vector<double>* values;
};

const std::vector<double>* find(const Curves& values, std::string_view name) {
  for (const auto& [known, given] : values) {
    if (known == name) return &given;
  }
  return nullptr;
}

// The name of what was measured, without "val_".
std::string_view plain(std::string_view name) {
  return name.starts_with(kPrefix) ? name.substr(kPrefix.size()) : name;
}

// The parts of a curve between values that are not finite.
std::vector<Points> runs(const std::vector<double>& xs, const std::vector<double>& ys) {
  std::vector<Points> out(1);
  for (size_t k = 0; k < xs.size(); ++k) {
    if (std::isfinite(ys[k])) {
      out.back().push_back({xs[k], ys[k]});
    } else if (!out.back().empty()) {
      out.emplace_back();
    }
  }
  if (out.back().empty()) out.pop_back();
  return out;
}

// The words for the curves, from right to left.
void draw_legend(Canvas& canvas, double right, double y, const std::vector<Curve>& curves) {
  for (size_t k = curves.size(); k-- > 0;) {
    right -= width_of(curves[k].word, 10);
    canvas.text(right, y, curves[k].word, kSoft, 10);
    canvas.line(Points{{right - 20, y - 3.5}, {right - 6, y - 3.5}}, curves[k].color, 2.2);
    right -= 34;
  }
}

// The least and the greatest of all that is finite, else 0 and 1.
std::pair<double, double> bounds(const std::vector<Curve>& curves) {
  std::pair<double, double> out{0, 1};
  bool is_first = true;
  for (const Curve& curve : curves) {
    for (const double y : *curve.values) {
      if (!std::isfinite(y)) continue;
      out = is_first ? std::pair(y, y) : std::pair(std::min(out.first, y), std::max(out.second, y));
      is_first = false;
    }
  }
  return out;
}

void draw_panel(Canvas& canvas, double left, double top, std::string_view name,
                const std::vector<double>& epochs, const std::vector<Curve>& curves) {
  const auto [least, greatest] = std::minmax_element(epochs.begin(), epochs.end());
  double low_x = epochs.empty() ? 0 : *least, high_x = epochs.empty() ? 1 : *greatest;
  const auto [low_y, high_y] = bounds(curves);
  const std::vector<double> marks_y = ticks(low_y, high_y);
  std::vector<double> marks_x;
  if (low_x == high_x) {
    marks_x = {low_x};
    low_x -= 1, high_x += 1;
  } else {
    for (const double x : ticks(low_x, high_x, 8, /*is_whole=*/true)) {
      if (low_x <= x && x <= high_x) marks_x.push_back(x);
    }
  }
  const Panel panel{canvas, left + 52, top + 44,        left + 400,    top + 226,
                    low_x,  high_x,    marks_y.front(), marks_y.back()};
  std::vector<std::string> labels_x;
  for (const double x : marks_x) labels_x.push_back(general(x));
  panel.grid(marks_x, marks_y, labels_x, labels(marks_y, marks_y[1] - marks_y[0]));
  panel.title(name, "epoch");
  draw_legend(canvas, panel.right, panel.top - 14, curves);
  for (const Curve& curve : curves) {
    for (const Points& run : runs(epochs, *curve.values)) {
      Points points;
      for (const Point& p : run) points.push_back(panel.at(p.x, p.y));
      canvas.line(points, curve.color, 1.8);
      if (epochs.size() > 20 && points.size() > 1) continue;
      for (const Point& p : points) {
        canvas.dot(p.x, p.y, kWhite, 6.6);
        canvas.dot(p.x, p.y, curve.color, 4.6);
      }
    }
  }
}

}  // namespace

void draw_curves(const std::string& path, const std::vector<double>& epochs, const Curves& values) {
  std::vector<std::string> names;
  for (const auto& [name, given] : values) {
    const bool has_partner = name.starts_with(kPrefix) && find(values, plain(name)) != nullptr;
    if (!has_partner) names.push_back(name);
  }
  if (names.empty()) fail(Code::kInvalid, kWho, "values", "there are no values to draw");
  for (const auto& [name, given] : values) {
    if (given.size() == epochs.size()) continue;
    fail(Code::kInvalid, kWho, "values", "there are ", epochs.size(), " epochs, but ", given.size(),
         " values of '", name, "'; each epoch has one");
  }
  const size_t columns = std::min<size_t>(names.size(), 2);
  const size_t rows = (names.size() + columns - 1) / columns;
  const auto canvas = canvas_for(path, 20 + 420 * static_cast<double>(columns),
                                 10 + 280 * static_cast<double>(rows), kWho);
  for (size_t k = 0; k < names.size(); ++k) {
    std::vector<Curve> curves;
    if (!names[k].starts_with(kPrefix)) {
      curves.push_back({"training", kTraining, find(values, names[k])});
    }
    const std::string validated = text(kPrefix, plain(names[k]));
    if (const auto* const found = find(values, validated)) {
      curves.push_back({"validation", kValidation, found});
    }
    draw_panel(*canvas, 10 + 420 * static_cast<double>(k % columns),
               10 + 280 * static_cast<double>(k / columns), plain(names[k]), epochs, curves);
  }
  write_picture(path, *canvas, kWho);
}

}  // namespace weft::train
