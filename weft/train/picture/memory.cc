// draw_memory.
#include <algorithm>
#include <map>

#include "weft/base/text.h"
#include "weft/train/picture/axes.h"
#include "weft/train/picture/numbers.h"
#include "weft/train/picture/pictures.h"

namespace weft::train {
namespace {

using Moment = MemoryByTime::Moment;
using Moments = std::vector<Moment>;

constexpr std::string_view kWho = "draw_memory";
constexpr Color kCurve{0x24, 0x68, 0xb4}, kBand{0xf1, 0xf5, 0xf9};

struct Unit {
  double size;
  const char* word;
};
constexpr Unit kBytes[] = {{1 << 30, "GB"}, {1 << 20, "MB"}, {1 << 10, "KB"}, {1, "bytes"}};
constexpr Unit kSeconds[] = {{1.0, "seconds"}, {1e-3, "milliseconds"}, {1e-6, "microseconds"}};

// The greatest unit that the value reaches.
Unit unit_of(double most, std::span<const Unit> units) {
  for (const Unit& unit : units) {
    if (most >= unit.size) return unit;
  }
  return units.back();
}

// Memory stays as it is until the next op.
Moments stairs(const Moments& all, double end) {
  Moments out{all[0]};
  for (size_t k = 1; k < all.size(); ++k) {
    out.push_back({all[k].seconds, all[k - 1].bytes});
    out.push_back(all[k]);
  }
  out.push_back({end, all.back().bytes});
  return out;
}

}  // namespace

Moments detail::thinned(const Moments& all, double end) {
  if (all.size() <= kMostMoments) return all;
  std::map<int64_t, std::pair<size_t, size_t>> spans;  // places of the least and the greatest
  for (size_t k = 0; k < all.size(); ++k) {
    const auto span = static_cast<int64_t>(all[k].seconds / end * double(kMostMoments) / 2);
    auto& [least, greatest] = spans.try_emplace(span, k, k).first->second;
    if (all[k].bytes < all[least].bytes) least = k;
    if (all[k].bytes >= all[greatest].bytes) greatest = k;
  }
  std::vector<bool> is_kept(all.size());
  is_kept.front() = is_kept.back() = true;
  for (const auto& [span, places] : spans) is_kept[places.first] = is_kept[places.second] = true;
  Moments out;
  for (size_t k = 0; k < all.size(); ++k) {
    if (is_kept[k]) out.push_back(all[k]);
  }
  return out;
}

void draw_memory(const std::string& path, const MemoryByTime& memory) {
  const auto canvas = canvas_for(path, 760, 330, kWho);
  const Moments all = memory.moments.empty() ? Moments{{0, 0}} : memory.moments;
  const Moment most = *std::max_element(
      all.begin(), all.end(), [](const Moment& a, const Moment& b) { return a.bytes < b.bytes; });
  const double end = std::max({memory.seconds, all.back().seconds, 1e-9});
  const Unit unit = unit_of(most.bytes, kBytes), second = unit_of(end, kSeconds);
  const std::vector<double> marks_y = ticks(0, most.bytes / unit.size);
  std::vector<double> marks_x;
  for (const double x : ticks(0, end / second.size, 8)) {
    if (x <= end / second.size) marks_x.push_back(x);
  }
  const Panel panel{*canvas,       66, 66, 736, 276, 0, end / second.size, marks_y.front(),
                    marks_y.back()};
  double before = 0;
  for (size_t k = 0; k < memory.marks.size(); before = memory.marks[k++]) {
    if (k % 2 != 0) continue;
    canvas->box(panel.at(before / second.size, 0).x, panel.top,
                panel.at(memory.marks[k] / second.size, 0).x, panel.bottom, kBand);
  }
  panel.grid(marks_x, marks_y, labels(marks_x, marks_x.size() > 1 ? marks_x[1] : 1.0),
             labels(marks_y, marks_y[1] - marks_y[0]));
  panel.title("memory by time", second.word);
  const std::string steps = memory.marks.empty() ? "" : text(", ", memory.marks.size(), " steps");
  canvas->text(panel.right, panel.top - 14, text(unit.word, " of tensors in use", steps), kSoft, 10,
               Align::kRight);
  Points drawn;
  for (const Moment& one : stairs(detail::thinned(all, end), end)) {
    drawn.push_back(panel.at(one.seconds / second.size, one.bytes / unit.size));
  }
  canvas->area(drawn, panel.bottom, kCurve, 0.16);
  canvas->line(drawn, kCurve, 1.3);
  const auto [x, y] = panel.at(most.seconds / second.size, most.bytes / unit.size);
  canvas->dot(x, y, kWhite, 7);
  canvas->dot(x, y, kCurve, 5);
  const bool is_late = x > (panel.left + panel.right) / 2;
  canvas->text(x + (is_late ? -8 : 8), y - 6,
               text(general(most.bytes / unit.size, 3), ' ', unit.word), kInk, 10,
               is_late ? Align::kRight : Align::kLeft);
  write_picture(path, *canvas, kWho);
}

}  // namespace weft::train
