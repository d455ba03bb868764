// The picture of a tape as SVG: two columns of the same layout, forward and backward.
#include <algorithm>

#include "weft/base/drawing_style.h"
#include "weft/base/layered_layout.h"
#include "weft/base/svg.h"
#include "weft/base/text.h"
#include "weft/base/text_width.h"
#include "weft/transform/draw.h"

namespace weft {
namespace {

constexpr double kMargin = 24, kTitle = 30, kBetween = 90, kLineHeight = 15;
constexpr double kSeed = 52;  // room for the 1 that the backward side starts with

constexpr std::string_view kOwnStyle =
    "text{text-anchor:middle}.name{font-size:12px}.at{font-size:10.5px;fill:#6b7a88;font-style:"
    "italic}.side{font-size:14px;font-weight:bold}.leaf{fill:#eaf5ec;stroke:#93c29e}"
    ".kept{fill:none;stroke:#c9d2da;stroke-dasharray:3 3}.box{rx:6}";

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
      backward_.push_back({{"name", backward_names_[i]}, {"line", records[i].type}});
    }
    for (size_t i = 0; i < records.size(); ++i) {
      const size_t lines = std::max(forward_[i].size(), backward_[i].size());
      sizes_.push_back({std::max(width_of(forward_[i]), width_of(backward_[i])),
                        static_cast<double>(lines) * kLineHeight + 12});
    }
    std::vector<LayoutBox> boxes;
    for (const DrawPoint size : sizes_) boxes.push_back({.width = size.x, .height = size.y});
    for (size_t i = 0; i < records.size(); ++i) {
      for (const DrawnRecord::Input& input : records[i].inputs) edges_.push_back({input.record, i});
    }
    layout_ = lay_out(boxes, edges_);
    for (size_t i = 0; i < records.size(); ++i) {
      centres_.push_back(
          {layout_.corners[i].x + sizes_[i].x / 2, layout_.corners[i].y + sizes_[i].y / 2});
    }
    shift_ = layout_.width + kBetween;
  }

  std::string finish() {
    const double width = 2 * kMargin + shift_ + layout_.width;
    const double height = 2 * kMargin + kTitle + layout_.height + kSeed;
    out_ = text("<svg xmlns='http://www.w3.org/2000/svg' width='", svg_number(width), "' height='",
                svg_number(height), "' viewBox='0 0 ", svg_number(width), " ", svg_number(height),
                "'><style>", kDrawingStyle, kOwnStyle, "</style>", kArrowHead,
                "<rect width='100%' height='100%' fill='#fff'/>");
    write("side", layout_.width / 2, -14, "forward: what was recorded");
    write("side", shift_ + layout_.width / 2, -14, "backward: cotangents");
    draw_kept();
    for (size_t e = 0; e < edges_.size(); ++e) draw_routes(e);
    for (size_t i = 0; i < records_.size(); ++i) draw_boxes(i);
    draw_seed();
    return out_ + "</svg>\n";
  }

 private:
  static Labels forward_labels(const DrawnRecord& record) {
    Labels out{{"name", record.name}};
    if (!record.attrs.empty()) out.push_back({"line", record.attrs});
    out.push_back({"line", record.type});
    if (!record.line.empty()) out.push_back({"at", record.line});
    return out;
  }
  static double width_of(const Labels& labels) {
    double width = 27;
    for (const Label& label : labels) {
      const bool is_name = label.style == "name";
      const double size = is_name ? kTitleSize : kLineSize;
      width = std::max(width, text_width(label.text, size, is_name));
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
    out_ += text("<rect class='", style, " box' x='", svg_number(x - size.x / 2 + kMargin), "' y='",
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
    const DrawPoint centre = centres_[i];
    const std::string_view style = kStyles[static_cast<size_t>(records_[i].kind)];
    draw_box(centre.x, centre.y, sizes_[i], style, forward_[i]);
    if (is_constant(i)) return;
    const bool is_leaf = records_[i].kind == DrawnRecord::Kind::kLeaf;
    draw_box(centre.x + shift_, centre.y, sizes_[i], is_leaf ? "leaf" : "gradient", backward_[i]);
  }

  // A line through the points, moved to the right by `dx`.
  void draw_line(const std::vector<DrawPoint>& points, double dx) {
    out_ += text("<path class='way' marker-end='url(#weft-arrow)' d='M",
                 at(points[0].x + dx, points[0].y));
    for (size_t k = 1; k < points.size(); ++k) {
      out_ += text(" L", at(points[k].x + dx, points[k].y));
    }
    out_ += "'/>";
  }
  void draw_routes(size_t edge) {
    const std::vector<DrawPoint>& points = layout_.routes[edge];
    draw_line(points, 0);
    if (is_constant(edges_[edge].from)) return;
    draw_line({points.rbegin(), points.rend()}, shift_);
  }

  // From the value that is kept to the backward rule that reads it.
  void draw_kept(size_t value, size_t rule) {
    const DrawPoint a = centres_[value], b = centres_[rule];
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
    const double x = centres_[last].x + shift_, y = layout_.height + kSeed - 12;
    draw_line({{x, y - 11}, {x, centres_[last].y + sizes_[last].y / 2}}, 0);
    out_ += text("<circle cx='", svg_number(x + kMargin), "' cy='",
                 svg_number(y + kMargin + kTitle), "' r='11' fill='#fdeeee' stroke='#dda3a3'/>");
    write("name", x, y + 4, "1");
  }

  const std::vector<DrawnRecord>& records_;
  std::vector<Labels> forward_, backward_;
  std::vector<std::string> backward_names_;
  std::vector<DrawPoint> sizes_, centres_;
  std::vector<LayoutEdge> edges_;
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
