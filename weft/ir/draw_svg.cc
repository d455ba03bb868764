// A picture as SVG, laid out here.
#include <algorithm>
#include <set>

#include "weft/base/svg.h"
#include "weft/ir/nested_layout.h"

namespace weft::ir {
namespace {

constexpr double kMargin = 16, kLineHeight = 14, kLetter = 6.6, kBoldLetter = 7.6,
                 kSmallLetter = 5.6, kTypeLetter = 5.2, kAside = 5, kGap = 14;

constexpr std::string_view kStyle =
    "<style>"
    "text{font:11px 'DejaVu Sans',Helvetica,Arial,sans-serif;fill:#33302a;text-anchor:middle}"
    ".name{font-weight:bold}.detail{fill:#7d7566;font-size:10px}.small{font-size:9px}"
    ".scope{fill:#8a8172;text-anchor:start}"
    ".type{fill:#8a8172;font-size:9px;text-anchor:start;paint-order:stroke;stroke:#fbfaf6;"
    "stroke-width:3px}.legend{text-anchor:start;font-size:10px;fill:#7d7566}"
    "rect{stroke:#b9b1a2}.op{fill:#e3e9f3}.input{fill:#f6ecd2}.variable{fill:#dcebdc}"
    ".constant{fill:#eeeeee}.result{fill:#f7e3d6}.folded{fill:#e9e4f2;stroke:#8f86a8;"
    "stroke-width:2}.frame{fill:#8a8172;fill-opacity:.05;stroke:#c9c2b4}"
    ".function{fill:#5b6f96;fill-opacity:.05;stroke:#8fa0c0;stroke-dasharray:6 3}"
    "path{fill:none;stroke:#5c564b;stroke-width:1.2}.order{stroke:#a09888;stroke-dasharray:4 4}"
    ".call{stroke:#8a8172;stroke-dasharray:1.5 3.5}"
    "</style>"
    "<defs><marker id='arrow' viewBox='0 0 8 8' refX='7' refY='4' markerWidth='7' "
    "markerHeight='7' orient='auto'><path d='M0,0 8,4 0,8z' style='fill:#5c564b;stroke:none'/>"
    "</marker></defs>";

constexpr std::string_view kClasses[] = {"op", "input", "variable", "constant", "result", "folded"};
constexpr std::string_view kLegend[] = {"op",       "input",  "Variable",
                                        "constant", "result", "folded scope"};
constexpr std::string_view kLines[] = {"", "order", "call"};

// Letters, not bytes.
double letters(std::string_view s) {
  return static_cast<double>(
      std::count_if(s.begin(), s.end(), [](char c) { return (c & 0xc0) != 0x80; }));
}

std::string shortened(const std::string& s, size_t most) {
  return s.size() <= most ? s : s.substr(0, most - 1) + "…";
}

DrawPoint size_of_box(const Picture::Box& box) {
  if (box.kind == Picture::Kind::kConstant) return {letters(box.title) * kSmallLetter + 12, 17};
  const double width = std::max(letters(box.title) * kBoldLetter, letters(box.detail) * kLetter);
  return {std::max(width + 18, 46.0), kLineHeight * (box.detail.empty() ? 1 : 2) + 11};
}

class SvgWriter {
 public:
  explicit SvgWriter(Picture picture)
      : picture_(shorter(std::move(picture))), labels_(labels_of(picture_)), layout_(laid_out()) {}

  std::string finish() {
    const Rectangle& whole = layout_.scope(0);
    const double width = std::max(whole.width, legend_width()) + 2 * kMargin;
    const double height = whole.height + 2 * kMargin + 26;
    out_ = text("<svg xmlns='http://www.w3.org/2000/svg' width='", svg_number(width), "' height='",
                svg_number(height), "' viewBox='", svg_number(-kMargin), " ", svg_number(-kMargin),
                " ", svg_number(width), " ", svg_number(height), "'>", kStyle, "<rect x='",
                svg_number(-kMargin), "' y='", svg_number(-kMargin),
                "' width='100%' height='100%' style='fill:#fbfaf6;stroke:none'/>");
    for (size_t s = 0; s < picture_.scopes.size(); ++s) draw_scope(s);
    for (const Picture::Edge& edge : picture_.edges) draw_line(edge);
    for (size_t i = 0; i < picture_.boxes.size(); ++i) draw_box(i);
    for (size_t i = 0; i < picture_.boxes.size(); ++i) draw_labels(i);
    draw_legend(whole.height + 18);
    return out_ + "</svg>\n";
  }

 private:
  static Picture shorter(Picture picture) {
    for (Picture::Box& box : picture.boxes) {
      box.title = shortened(box.title, 36);
      box.detail = shortened(box.detail, 40);
    }
    return picture;
  }
  NestedLayout laid_out() const {
    std::vector<DrawPoint> sizes;
    std::vector<double> rooms, titles;
    for (const Picture::Box& box : picture_.boxes) sizes.push_back(size_of_box(box));
    for (size_t i = 0; i < sizes.size(); ++i) rooms.push_back(room_below(i));
    for (const Picture::Scope& scope : picture_.scopes)
      titles.push_back(letters(scope.title) * kLetter);
    return NestedLayout(picture_, std::move(sizes), std::move(rooms), titles);
  }

  void rectangle(std::string_view style, const Rectangle& r, double round, std::string_view tip) {
    out_ += text("<rect class='", style, "' x='", svg_number(r.x), "' y='", svg_number(r.y),
                 "' width='", svg_number(r.width), "' height='", svg_number(r.height), "' rx='",
                 round, "'>");
    if (!tip.empty()) out_ += text("<title>", svg_text(tip), "</title>");
    out_ += "</rect>";
  }
  void write(std::string_view style, double x, double y, std::string_view label) {
    out_ += text("<text class='", style, "' x='", svg_number(x), "' y='", svg_number(y), "'>",
                 svg_text(label), "</text>");
  }

  void draw_scope(size_t s) {
    const Rectangle& r = layout_.scope(s);
    if (r.height == 0) return;  // a function with nothing in it
    const Picture::Scope& scope = picture_.scopes[s];
    rectangle(scope.is_function && s > 0 ? "function" : "frame", r, 8, "");
    write("scope", r.x + 10, r.y + 16, scope.title);
  }

  void draw_box(size_t i) {
    const Picture::Box& box = picture_.boxes[i];
    const Rectangle& r = layout_.box(i);
    const bool is_round = box.kind == Picture::Kind::kInput || box.kind == Picture::Kind::kResult;
    rectangle(kClasses[static_cast<size_t>(box.kind)], r, is_round ? r.height / 2 : 5, box.detail);
    if (box.kind == Picture::Kind::kConstant) {
      write("small", r.middle(), r.y + 12, box.title);
      return;
    }
    write("name", r.middle(), r.y + 16, box.title);
    if (!box.detail.empty()) write("detail", r.middle(), r.y + 16 + kLineHeight, box.detail);
  }

  static std::string at(double x, double y) { return text(svg_number(x), ",", svg_number(y)); }

  void draw_line(const Picture::Edge& edge) {
    if (!drawn_.insert({edge.from, edge.to, edge.line}).second) return;  // of another type
    const std::vector<DrawPoint> points = layout_.route(edge);
    out_ += text("<path class='", kLines[static_cast<size_t>(edge.line)],
                 "' marker-end='url(#arrow)' d='M", at(points[0].x, points[0].y));
    for (size_t k = 1; k < points.size(); ++k) {
      const DrawPoint a = points[k - 1], b = points[k];
      if (b.y <= a.y) {  // aside and up again
        out_ += text(" L", at(b.x, b.y));
        continue;
      }
      const double half = (b.y - a.y) / 2;
      out_ += text(" C", at(a.x, a.y + half), " ", at(b.x, b.y - half), " ", at(b.x, b.y));
    }
    out_ += "'/>";
  }

  // The types of what each box gives, as lines below it: there is room for two above the next box.
  static std::vector<std::vector<std::string>> labels_of(const Picture& picture) {
    std::vector<std::vector<std::string>> out(picture.boxes.size());
    for (const Picture::Edge& edge : picture.edges) {
      std::vector<std::string>& lines = out[edge.from];
      const bool is_new = std::ranges::find(lines, edge.label) == lines.end();
      if (!edge.label.empty() && is_new) lines.push_back(edge.label);
    }
    for (std::vector<std::string>& lines : out) {
      if (lines.size() > 2) lines = {lines[0], text("and ", lines.size() - 1, " more types")};
    }
    return out;
  }
  // They stand on the right side of the line that leaves the box, and reach into the gap.
  double room_below(size_t box) const {
    double widest = 0;
    for (const std::string& line : labels_[box]) widest = std::max(widest, letters(line));
    return widest == 0 ? 0 : 2 * (kAside + widest * kTypeLetter) - 2 * kGap;
  }
  void draw_labels(size_t box) {
    const Rectangle& from = layout_.box(box);
    double y = from.bottom();
    for (const std::string& line : labels_[box]) {
      write("type", from.middle() + kAside, y += 11, line);
    }
  }

  std::set<Picture::Kind> kinds() const {
    std::set<Picture::Kind> out;
    for (const Picture::Box& box : picture_.boxes) out.insert(box.kind);
    return out;
  }
  bool has_line(Picture::Line line) const {
    return std::any_of(picture_.edges.begin(), picture_.edges.end(),
                       [&](const Picture::Edge& edge) { return edge.line == line; });
  }
  static double entry_width(std::string_view label) { return 26 + letters(label) * 6.4; }
  double legend_width() const {
    double out = 0;
    for (const Picture::Kind kind : kinds()) out += entry_width(kLegend[static_cast<size_t>(kind)]);
    return out + 2 * entry_width("runs before");
  }

  void draw_legend(double y) {
    double x = 0;
    for (const Picture::Kind kind : kinds()) {
      const auto k = static_cast<size_t>(kind);
      rectangle(kClasses[k], {x, y, 12, 10}, 3, "");
      write("legend", x + 16, y + 9, kLegend[k]);
      x += entry_width(kLegend[k]);
    }
    for (const auto& [line, label] : {std::pair{Picture::Line::kOrder, "runs before"},
                                      std::pair{Picture::Line::kCall, "calls"}}) {
      if (!has_line(line)) continue;
      out_ += text("<path class='", kLines[static_cast<size_t>(line)], "' d='M", at(x, y + 5), " L",
                   at(x + 14, y + 5), "'/>");
      write("legend", x + 18, y + 9, label);
      x += entry_width(label);
    }
  }

  const Picture picture_;
  const std::vector<std::vector<std::string>> labels_;
  const NestedLayout layout_;
  std::set<std::tuple<size_t, size_t, Picture::Line>> drawn_;
  std::string out_;
};

}  // namespace

std::string draw_svg(const Function& function, const DrawOptions& options) {
  return SvgWriter(picture_of(function, options)).finish();
}

}  // namespace weft::ir
