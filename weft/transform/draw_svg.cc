// The picture of a tape as SVG: two columns of the same layout, forward and backward.
#include <algorithm>

#include "weft/base/layered_layout.h"
#include "weft/base/svg.h"
#include "weft/base/text.h"
#include "weft/transform/draw.h"

namespace weft {
namespace {

constexpr double kMargin = 24, kTitle = 30, kBetween = 90, kLineHeight = 15, kLetter = 6.7,
                 kBoldLetter = 8.1;
constexpr double kSeed = 52;  // room for the 1 that the backward side starts with

constexpr std::string_view kStyle =
    "<style>"
    "text{font:11px 'DejaVu Sans',Helvetica,Arial,sans-serif;fill:#33302a;text-anchor:middle}"
    ".name{font-weight:bold;font-size:12px}.line{fill:#8a8172}.title{font-size:14px;fill:#8a8172}"
    "rect{stroke:#b9b1a2;rx:6}.op{fill:#e3e9f3}.leaf{fill:#dcebdc}.constant{fill:#eeeeee}"
    ".back{fill:#f7e3d6}path{fill:none;stroke:#5c564b;stroke-width:1.2}"
    ".kept{stroke:#b9b1a2;stroke-dasharray:4 4}"
    "</style>"
    "<defs><marker id='arrow' viewBox='0 0 8 8' refX='7' refY='4' markerWidth='7' "
    "markerHeight='7' orient='auto'><path d='M0,0 8,4 0,8z' style='fill:#5c564b;stroke:none'/>"
    "</marker></defs>";

struct Label {
  std::string_view style, text;
};
using Labels = std::vector<Label>;

class Picture {
 public:
  explicit Picture(const std::vector<DrawnRecord>& records) : records_(records) {
    for (const DrawnRecord& record : records) {
      forward_.push_back(forward_labels(record));
      backward_names_.push_back(
          text(record.name, record.kind == DrawnRecord::Kind::kLeaf ? ".grad" : " backward"));
    }
    for (size_t i = 0; i < records.size(); ++i) {
      backward_.push_back({{"name", backward_names_[i]}, {"", records[i].type}});
    }
    for (size_t i = 0; i < records.size(); ++i) {
      const size_t lines = std::max(forward_[i].size(), backward_[i].size());
      sizes_.push_back({std::max(width_of(forward_[i]), width_of(backward_[i])),
                        static_cast<double>(lines) * kLineHeight + 12});
    }
    std::vector<LayeredLayout::Edge> edges;
    for (size_t i = 0; i < records.size(); ++i) {
      for (const DrawnRecord::Input& input : records[i].inputs) edges.push_back({input.record, i});
    }
    layout_ = lay_out(sizes_, edges);
    shift_ = layout_.width + kBetween;
  }

  std::string finish() {
    const double width = 2 * kMargin + shift_ + layout_.width;
    const double height = 2 * kMargin + kTitle + layout_.height + kSeed;
    out_ = text("<svg xmlns='http://www.w3.org/2000/svg' width='", svg_number(width), "' height='",
                svg_number(height), "' viewBox='0 0 ", svg_number(width), " ", svg_number(height),
                "'>", kStyle,
                "<rect width='100%' height='100%' style='fill:#fbfaf6;stroke:none;rx:0'/>");
    write("title", layout_.width / 2, -14, "forward: what was recorded");
    write("title", shift_ + layout_.width / 2, -14, "backward: cotangents");
    draw_kept();
    for (const LayeredLayout::Route& route : layout_.routes) draw_routes(route);
    for (size_t i = 0; i < records_.size(); ++i) draw_boxes(i);
    draw_seed();
    return out_ + "</svg>\n";
  }

 private:
  static Labels forward_labels(const DrawnRecord& record) {
    Labels out{{"name", record.name}};
    if (!record.attrs.empty()) out.push_back({"", record.attrs});
    out.push_back({"", record.type});
    if (!record.line.empty()) out.push_back({"line", record.line});
    return out;
  }
  static double width_of(const Labels& labels) {
    double width = 27;
    for (const Label& label : labels) {
      const double letter = label.style == "name" ? kBoldLetter : kLetter;
      width = std::max(width, static_cast<double>(label.text.size()) * letter);
    }
    return width + 18;
  }
  bool is_constant(size_t i) const { return records_[i].kind == DrawnRecord::Kind::kConstant; }

  static std::string at(double x, double y) {
    return text(svg_number(x + kMargin), ",", svg_number(y + kMargin + kTitle));
  }
  void write(std::string_view style, double x, double y, std::string_view label) {
    out_ += text("<text class='", style, "' x='", svg_number(x + kMargin), "' y='",
                 svg_number(y + kMargin + kTitle), "'>", svg_text(label), "</text>");
  }

  void draw_box(double x, double y, DrawPoint size, std::string_view style, const Labels& labels) {
    out_ += text("<rect class='", style, "' x='", svg_number(x - size.x / 2 + kMargin), "' y='",
                 svg_number(y - size.y / 2 + kMargin + kTitle), "' width='", svg_number(size.x),
                 "' height='", svg_number(size.y), "'/>");
    double line = y - static_cast<double>(labels.size()) * kLineHeight / 2 + 11;
    for (const Label& label : labels) {
      write(label.style, x, line, label.text);
      line += kLineHeight;
    }
  }
  void draw_boxes(size_t i) {
    constexpr std::string_view kStyles[] = {"op", "leaf", "constant"};
    const DrawPoint centre = layout_.centres[i];
    const std::string_view style = kStyles[static_cast<size_t>(records_[i].kind)];
    draw_box(centre.x, centre.y, sizes_[i], style, forward_[i]);
    if (is_constant(i)) return;
    const bool is_leaf = records_[i].kind == DrawnRecord::Kind::kLeaf;
    draw_box(centre.x + shift_, centre.y, sizes_[i], is_leaf ? "leaf" : "back", backward_[i]);
  }

  // A smooth line through the points, moved to the right by `dx`.
  void draw_curve(const std::vector<DrawPoint>& points, double dx) {
    out_ += text("<path marker-end='url(#arrow)' d='M", at(points[0].x + dx, points[0].y));
    for (size_t k = 1; k < points.size(); ++k) {
      const DrawPoint a = points[k - 1], b = points[k];
      const double half = (b.y - a.y) / 2;
      out_ += text(" C", at(a.x + dx, a.y + half), " ", at(b.x + dx, b.y - half), " ",
                   at(b.x + dx, b.y));
    }
    out_ += "'/>";
  }
  void draw_routes(const LayeredLayout::Route& route) {
    draw_curve(route.points, 0);
    if (is_constant(route.from)) return;
    draw_curve({route.points.rbegin(), route.points.rend()}, shift_);
  }

  // From the value that is kept to the backward rule that reads it.
  void draw_kept(size_t value, size_t rule) {
    const DrawPoint a = layout_.centres[value], b = layout_.centres[rule];
    const double start = a.x + sizes_[value].x / 2, end = b.x + shift_ - sizes_[rule].x / 2;
    const double third = (end - start) / 3;
    out_ += text("<path class='kept' d='M", at(start, a.y), " C", at(start + third, a.y), " ",
                 at(end - third, b.y), " ", at(end, b.y), "'/>");
  }
  void draw_kept() {
    for (size_t i = 0; i < records_.size(); ++i) {
      for (const DrawnRecord::Input& input : records_[i].inputs) {
        if (input.is_read) draw_kept(input.record, i);
      }
      if (records_[i].reads_output) draw_kept(i, i);
    }
  }

  void draw_seed() {
    const size_t last = records_.size() - 1;
    const double x = layout_.centres[last].x + shift_, y = layout_.height + kSeed - 12;
    draw_curve({{x, y - 11}, {x, layout_.centres[last].y + sizes_[last].y / 2}}, 0);
    out_ += text("<circle cx='", svg_number(x + kMargin), "' cy='",
                 svg_number(y + kMargin + kTitle), "' r='11' fill='#f7e3d6' stroke='#b9b1a2'/>");
    write("name", x, y + 4, "1");
  }

  const std::vector<DrawnRecord>& records_;
  std::vector<Labels> forward_, backward_;
  std::vector<std::string> backward_names_;
  std::vector<DrawPoint> sizes_;
  LayeredLayout layout_;
  double shift_ = 0;
  std::string out_;
};

}  // namespace

std::string draw_svg(const Tensor& value, size_t most) {
  const std::vector<DrawnRecord> records = records_behind(value, most);
  return Picture(records).finish();
}

}  // namespace weft
