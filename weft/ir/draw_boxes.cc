// Boxes and lines of drawings, as SVG.
#include <algorithm>
#include <cmath>

#include "weft/base/drawing_style.h"
#include "weft/base/svg.h"
#include "weft/base/text_width.h"
#include "weft/ir/drawn_scope.h"

namespace weft::ir {
namespace {

constexpr double kWidest = 230;  // pixels; longer texts are shortened
constexpr double kSide = 11, kAbove = 6, kTitleHeight = 15, kLineHeight = 13, kChipHeight = 16;
constexpr double kRound = 6, kCorner = 5, kUnder = 4;

constexpr std::string_view kClasses[] = {"op", "input", "variable", "result", "folded"};
constexpr std::string_view kChips[] = {"parameter", "constant", "written"};

bool is_folded(const Picture::Item& item) { return item.inside != Picture::kNoScope; }

std::string written(std::string_view style, double x, double y, const std::string& label,
                    double size, bool is_bold) {
  return text("<text class='", style, "' x='", svg_number(x), "' y='", svg_number(y),
              "' textLength='", svg_number(text_width(label, size, is_bold)), "'>", svg_text(label),
              "</text>");
}
std::string rectangle(std::string_view style, const Rectangle& r, double round) {
  return text("<rect class='", style, "' x='", svg_number(r.x), "' y='", svg_number(r.y),
              "' width='", svg_number(r.width), "' height='", svg_number(r.height), "' rx='",
              svg_number(round), "'/>");
}
std::string chip_text(const Picture::Chip& chip) {
  const std::string_view arrow = chip.kind == Picture::Chip::Kind::kWritten ? "→ " : "";
  return shortened(text(arrow, chip.text), kChipSize, kWidest);
}

}  // namespace

DrawPoint size_of_box(const Picture::Item& item) {
  const std::string title = shortened(item.title, kTitleSize, kWidest, true);
  double width = text_width(title, kTitleSize, true) + (is_folded(item) ? 16 : 0);
  for (const std::string& line : item.lines) {
    width = std::max(width, text_width(shortened(line, kLineSize, kWidest), kLineSize));
  }
  for (const Picture::Chip& chip : item.chips) {
    width = std::max(width, text_width(chip_text(chip), kChipSize) + 10);
  }
  const double height = kAbove + kTitleHeight + kLineHeight * double(item.lines.size()) +
                        kChipHeight * double(item.chips.size()) + (item.chips.empty() ? 4 : 5);
  return {std::max(std::ceil(width + 2 * kSide), 56.0), height};
}

std::string box_svg(const Picture::Item& item, bool has_tip) {
  const DrawPoint size = size_of_box(item);
  const double middle = size.x / 2;
  const bool is_end = item.kind == Picture::Kind::kInput || item.kind == Picture::Kind::kResult;
  const bool is_stack = item.title.find("×") != std::string::npos && is_folded(item);
  std::string out = has_tip ? text("<title>", svg_text(item.tip), "</title>") : "";
  // Repeated scopes have a second box behind the first.
  if (is_stack) out += rectangle("under", {kUnder, kUnder, size.x, size.y}, kRound);
  const std::string_view style = is_folded(item) ? "folded" : kClasses[size_t(item.kind)];
  out += rectangle(style, {0, 0, size.x, size.y}, is_end ? std::min(size.y / 2, 14.0) : kRound);
  double y = kAbove + 11;
  const std::string title = shortened(item.title, kTitleSize, kWidest, true);
  out += written("name", middle, y, title, kTitleSize, true);
  if (is_folded(item)) {
    out += text("<path class='way' d='M", svg_number(size.x - 15), ",8h7M",
                svg_number(size.x - 11.5), ",4.5v7'/>");
  }
  for (const std::string& line : item.lines) {
    out += written("line", middle, y += kLineHeight, shortened(line, kLineSize, kWidest), kLineSize,
                   false);
  }
  y += 5;
  for (const Picture::Chip& chip : item.chips) {
    const std::string label = chip_text(chip);
    const double width = text_width(label, kChipSize) + 10;
    out += rectangle(kChips[size_t(chip.kind)], {middle - width / 2, y, width, kChipHeight - 2}, 3);
    out += written("chip", middle, y + 10.5, label, kChipSize, false);
    y += kChipHeight;
  }
  return out;
}

std::string line_path(const std::vector<DrawPoint>& points, double x, double y) {
  std::vector<DrawPoint> bends;  // where it turns, and its ends
  for (const DrawPoint& point : points) {
    const size_t n = bends.size();
    if (n > 0 && std::abs(bends[n - 1].x - point.x) < 0.05 &&
        std::abs(bends[n - 1].y - point.y) < 0.05) {
      continue;
    }
    const bool is_straight = n > 1 && ((std::abs(bends[n - 2].x - bends[n - 1].x) < 0.05 &&
                                        std::abs(bends[n - 1].x - point.x) < 0.05) ||
                                       (std::abs(bends[n - 2].y - bends[n - 1].y) < 0.05 &&
                                        std::abs(bends[n - 1].y - point.y) < 0.05));
    if (is_straight) bends.pop_back();
    bends.push_back(point);
  }
  const auto at = [&](const DrawPoint& p) {
    return text(svg_number(p.x + x), ",", svg_number(p.y + y));
  };
  std::string out = text("M", at(bends[0]));
  for (size_t k = 1; k + 1 < bends.size(); ++k) {
    const DrawPoint &a = bends[k - 1], &b = bends[k], &c = bends[k + 1];
    const double before = std::abs(a.x - b.x) + std::abs(a.y - b.y);
    const double after = std::abs(c.x - b.x) + std::abs(c.y - b.y);
    const double r = std::min({kCorner, before / 2, after / 2});
    const DrawPoint in{b.x + (a.x - b.x) / before * r, b.y + (a.y - b.y) / before * r};
    const DrawPoint to{b.x + (c.x - b.x) / after * r, b.y + (c.y - b.y) / after * r};
    out += text("L", at(in), "Q", at(b), " ", at(to));
  }
  return out + text("L", at(bends.back()));
}

}  // namespace weft::ir
