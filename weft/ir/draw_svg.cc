// A drawing as SVG, laid out here.
#include <algorithm>
#include <set>

#include "weft/base/drawing_style.h"
#include "weft/base/svg.h"
#include "weft/base/text_width.h"
#include "weft/ir/drawn_scope.h"

namespace weft::ir {
namespace {

constexpr double kMargin = 16, kHead = 30, kLegend = 30;
constexpr std::string_view kLines[] = {"", " order", " saved"};

using End = Picture::End;

class SvgWriter {
 public:
  SvgWriter(const Picture& picture, const DrawnScope& drawn) : picture_(picture), drawn_(drawn) {}

  std::string finish() {
    const std::string legend = drawn_legend();
    const double title = text_width(picture_.scopes[0].title, 14, true);
    const double width = std::max({drawn_.width, legend_width_, title}) + 2 * kMargin;
    const double height = drawn_.height + kHead + kLegend + 2 * kMargin;
    out_ = text("<svg xmlns='http://www.w3.org/2000/svg' width='", svg_number(width), "' height='",
                svg_number(height), "' viewBox='0 0 ", svg_number(width), " ", svg_number(height),
                "'><style>", kDrawingStyle, "</style>", kArrowHead,
                "<rect width='100%' height='100%' fill='#fff'/><text class='title' x='",
                svg_number(kMargin), "' y='", svg_number(kMargin + 13), "'>",
                svg_text(picture_.scopes[0].title), "</text>");
    draw(0, drawn_, (width - drawn_.width) / 2, kMargin + kHead);
    return text(out_, "<g transform='translate(", kMargin, ",",
                svg_number(kMargin + kHead + drawn_.height + 14), ")'>", legend, "</g></svg>\n");
  }

 private:
  void draw(size_t s, const DrawnScope& drawn, double x, double y) {
    const Picture::Scope& scope = picture_.scopes[s];
    if (s > 0) {
      out_ += text("<rect class='", scope.is_function ? "function" : "frame", "' x='",
                   svg_number(x), "' y='", svg_number(y), "' width='", svg_number(drawn.width),
                   "' height='", svg_number(drawn.height), "' rx='8'/>");
    }
    for (size_t i = 0; i < scope.items.size(); ++i) {
      const Rectangle& r = drawn.items[i];
      if (drawn.inside[i]) draw(scope.items[i].inside, *drawn.inside[i], x + r.x, y + r.y);
    }
    std::set<size_t> done;
    for (size_t e = 0; e < scope.edges.size(); ++e) {
      const size_t route = drawn.route_of[e];
      if (!done.insert(route).second) continue;
      const Picture::Edge& edge = scope.edges[e];
      const bool ends_here = edge.to.kind == End::Kind::kItem && !drawn.inside[edge.to.index];
      out_ += text("<path class='way", kLines[size_t(edge.line)], "' d='",
                   line_path(drawn.routes[route], x, y), "'",
                   ends_here ? " marker-end='url(#weft-arrow)'" : "", "/>");
    }
    for (size_t i = 0; i < scope.items.size(); ++i) {
      if (drawn.inside[i]) continue;
      const Rectangle& r = drawn.items[i];
      out_ += text("<g transform='translate(", svg_number(x + r.x), ",", svg_number(y + r.y), ")'>",
                   box_svg(scope.items[i], /*has_tip=*/true), "</g>");
    }
    if (s > 0) {
      out_ += text("<text class='frame-name' x='", svg_number(x + 10), "' y='", svg_number(y + 16),
                   "'>", svg_text(scope.title), "</text>");
    }
  }

  void find_kinds(size_t s, const DrawnScope& drawn, std::set<std::string>& kinds) {
    const Picture::Scope& scope = picture_.scopes[s];
    for (size_t i = 0; i < scope.items.size(); ++i) {
      if (drawn.inside[i]) {
        find_kinds(scope.items[i].inside, *drawn.inside[i], kinds);
        continue;
      }
      constexpr std::string_view kNames[] = {"2op", "1input or result", "5writes a Variable",
                                             "1input or result", "3folded scope"};
      const bool folds = scope.items[i].inside != Picture::kNoScope;
      kinds.insert(std::string(folds ? kNames[4] : kNames[size_t(scope.items[i].kind)]));
      for (const Picture::Chip& chip : scope.items[i].chips) {
        constexpr std::string_view kChips[] = {"4parameter", "6constant", "5writes a Variable"};
        kinds.insert(std::string(kChips[size_t(chip.kind)]));
      }
    }
    for (const Picture::Edge& edge : scope.edges) {
      if (edge.line == Picture::Line::kSaved) kinds.insert("7saved for the gradients");
      if (edge.line == Picture::Line::kOrder) kinds.insert("8runs before");
    }
  }
  std::string drawn_legend() {
    std::set<std::string> kinds;
    find_kinds(0, drawn_, kinds);
    constexpr std::string_view kStyles[] = {"",        "input",    "op",    "folded", "parameter",
                                            "written", "constant", "saved", "order"};
    std::string out;
    double x = 0;
    for (const std::string& kind : kinds) {
      const auto style = static_cast<size_t>(kind[0] - '0');
      const std::string label = kind.substr(1);
      out += style >= 7
                 ? text("<path class='way ", kStyles[style], "' d='M", svg_number(x), ",5h16'/>")
                 : text("<rect class='", kStyles[style], "' x='", svg_number(x),
                        "' y='0' width='16' height='10' rx='3'/>");
      out += text("<text class='legend' x='", svg_number(x + 21), "' y='9'>", label, "</text>");
      x += 21 + text_width(label, 10.5) + 20;
    }
    legend_width_ = x;
    return out;
  }

  const Picture& picture_;
  const DrawnScope& drawn_;
  double legend_width_ = 0;
  std::string out_;
};

}  // namespace

std::string draw_svg(const Function& function, const DrawOptions& options) {
  const Picture picture = picture_of(function, options);
  DrawOptions fewer = options;
  for (;;) {
    const DrawnScope drawn =
        lay_out_scope(picture, 0, open_scopes(picture, fewer), options.widest - 2 * kMargin);
    // Scopes that are opened automatically must not make the drawing wider than options.widest.
    const bool fits = drawn.width + 2 * kMargin <= options.widest;
    if (fits || options.depth >= 0 || fewer.most_boxes < 2) {
      return SvgWriter(picture, drawn).finish();
    }
    fewer.most_boxes = fewer.most_boxes * 3 / 4;
  }
}

}  // namespace weft::ir
