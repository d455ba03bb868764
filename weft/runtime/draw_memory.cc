// The arena of a plan as a chart: which value lives when, and where. Styled as the charts of
// training (train/picture), which this folder cannot include.
#include <algorithm>

#include "weft/base/chart_ticks.h"
#include "weft/base/svg.h"
#include "weft/base/text_width.h"
#include "weft/runtime/plan.h"
#include "weft/runtime/profile.h"

namespace weft {
namespace {

constexpr double kLeft = 66, kRight = 24, kTop = 66, kHeight = 380, kBottom = 46;
constexpr double kLeastWidth = 560, kMostWidth = 1500, kTextSize = 10;

struct Unit {
  double size;
  const char* word;
};
constexpr Unit kUnits[] = {{1 << 30, "GB"}, {1 << 20, "MB"}, {1 << 10, "KB"}, {1, "bytes"}};

Unit unit_of(double bytes) {
  for (const Unit& unit : kUnits) {
    if (bytes >= unit.size) return unit;
  }
  return kUnits[3];
}
// 1234567 as "1.2 MB".
std::string size_text(int64_t bytes) {
  const Unit unit = unit_of(static_cast<double>(bytes));
  const auto tenths = static_cast<int64_t>(static_cast<double>(bytes) / unit.size * 10 + 0.5);
  return text(tenths / 10, tenths % 10 == 0 ? "" : text('.', tenths % 10), ' ', unit.word);
}

// The fill of an op's values: always the same for an op.
std::string_view colour_of(std::string_view name) {
  constexpr std::string_view kFills[] = {"#b9d0ea", "#f4c9a5", "#bfe0c7", "#d9cdee",
                                         "#f3c6c6", "#cbe3ea", "#eadfae", "#d3d9df"};
  uint32_t hash = 2166136261u;
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619u;
  return kFills[hash % std::size(kFills)];
}

class MemoryChart {
 public:
  explicit MemoryChart(const RunPlan& plan) : plan_(plan) {
    const auto steps = static_cast<double>(std::max<size_t>(1, plan.instructions.size()));
    title_ = text('@', plan.function->name, ": memory by instruction");
    below_ =
        text(plan.instructions.size(), " instructions in an arena of ", size_text(plan.arena.bytes),
             ", of which at most ", size_text(plan.arena.lower_bound), " live at once");
    const double words = std::max(text_width(title_, 13), text_width(below_, kTextSize));
    width_ = std::clamp(steps * 14, std::max(kLeastWidth, words), kMostWidth);
    step_ = width_ / steps;
    const double bytes = static_cast<double>(std::max<int64_t>(1, plan.arena.bytes));
    unit_ = unit_of(bytes);
    marks_ = ticks(0, bytes / unit_.size);
  }

  std::string finish() {
    const double wide = kLeft + width_ + kRight, high = kTop + kHeight + kBottom;
    out_ = text("<svg xmlns='http://www.w3.org/2000/svg' width='", svg_number(wide), "' height='",
                svg_number(high), "' viewBox='0 0 ", svg_number(wide), " ", svg_number(high),
                "' font-family='Helvetica, Arial, sans-serif'>\n"
                "<rect width='100%' height='100%' fill='#ffffff'/>\n");
    write(kLeft, 24, title_, "#22303c", 13, "start");
    write(kLeft, 42, below_, "#6b7a88", kTextSize, "start");
    draw_axes();
    for (ir::ValueId id = 0; id < plan_.values.size(); ++id) {
      if (is_shown(id)) draw_value(id);
    }
    for (ir::ValueId id = 0; id < plan_.values.size(); ++id) {
      if (is_shown(id)) draw_label(id);
    }
    return out_ + "</svg>\n";
  }

 private:
  double x_of(double instruction) const { return kLeft + instruction * step_; }
  double y_of(double bytes) const {
    return kTop + kHeight - bytes / unit_.size / marks_.back() * kHeight;
  }
  void write(double x, double y, std::string_view label, std::string_view colour, double size,
             std::string_view anchor) {
    out_ +=
        text("<text x='", svg_number(x), "' y='", svg_number(y), "' fill='", colour,
             "' font-size='", size, "' text-anchor='", anchor, "'>", svg_text(label), "</text>\n");
  }
  void box(double x, double y, double width, double height, std::string_view colour) {
    out_ += text("<rect x='", svg_number(x), "' y='", svg_number(y), "' width='", svg_number(width),
                 "' height='", svg_number(height), "' fill='", colour, "'/>\n");
  }

  void draw_axes() {
    const std::vector<std::string> names = labels(marks_, marks_[1] - marks_[0]);
    for (size_t k = 0; k < marks_.size(); ++k) {
      const double y = y_of(marks_[k] * unit_.size);
      box(kLeft, y, width_, 0.5, "#e3e8ed");
      write(kLeft - 6, y + 3.4, names[k], "#6b7a88", 9.5, "end");
    }
    write(kLeft - 6, kTop - 12, unit_.word, "#6b7a88", 9.5, "end");
    box(kLeft, kTop + kHeight, width_, 1, "#6b7a88");
    const auto count = static_cast<double>(plan_.instructions.size());
    for (const double at : ticks(0, std::max(count, 1.0), 8, /*is_whole=*/true)) {
      if (at > count) continue;
      box(x_of(at) - 0.5, kTop + kHeight, 1, 4, "#6b7a88");
      write(x_of(at), kTop + kHeight + 15, label(at, 1), "#6b7a88", 9.5, "middle");
    }
    write(kLeft + width_ / 2, kTop + kHeight + 31, "instructions, in the order in which they run",
          "#6b7a88", 9.5, "middle");
  }

  bool is_shown(ir::ValueId id) const {
    return plan_.values[id].root == id && plan_.values[id].home == Home::kArena;
  }
  struct Place {
    double x, top, wide, high;
  };
  // From the bottom up, as heaps are drawn.
  Place place_of(const PlannedValue& v) const {
    const double top = y_of(static_cast<double>(v.offset + v.bytes()));
    return {x_of(v.birth), top, (static_cast<double>(v.death) - v.birth + 1) * step_,
            std::max(1.0, y_of(static_cast<double>(v.offset)) - top)};
  }
  void draw_value(ir::ValueId id) {
    const PlannedValue& v = plan_.values[id];
    const ir::Graph& graph = plan_.function->graph;
    const Place at = place_of(v);
    out_ += text("<rect class='value' x='", svg_number(at.x), "' y='", svg_number(at.top),
                 "' width='", svg_number(at.wide), "' height='", svg_number(at.high), "' fill='",
                 colour_of(graph.node(graph.value(id).maker).op->name),
                 "' stroke='#ffffff' stroke-width='0.7'><title>", svg_text(graph.name_of(id)), ": ",
                 svg_text(text(v.type)), ", ", size_text(v.bytes()), ", instructions ", v.birth,
                 " to ", v.death, v.shares ? ", in place" : "", "</title></rect>\n");
  }
  // The width up to where a later value in the same memory covers it.
  double visible_width(ir::ValueId id) const {
    const PlannedValue& v = plan_.values[id];
    double end = place_of(v).x + place_of(v).wide;
    for (ir::ValueId other = 0; other < plan_.values.size(); ++other) {
      const PlannedValue& w = plan_.values[other];
      const bool is_later = other != id && is_shown(other) && w.birth > v.birth;
      if (is_later && w.offset < v.offset + v.bytes() && v.offset < w.offset + w.bytes()) {
        end = std::min(end, x_of(w.birth));
      }
    }
    return end - place_of(v).x;
  }
  // A label that does not fit is left out; the tooltip of the box has the name.
  void draw_label(ir::ValueId id) {
    const Place at = place_of(plan_.values[id]);
    if (at.high < 14 || at.wide < 20) return;
    const std::string name = plan_.function->graph.name_of(id);
    const std::string last = name.substr(name.rfind('/') + 1);
    const double room = visible_width(id) - 8;
    if (text_width(last, kTextSize) > room) return;
    write(at.x + 4, at.top + std::min(at.high / 2 + 3.5, 13.0),
          text_width(name, kTextSize) <= room ? name : last, "#22303c", kTextSize, "start");
  }

  const RunPlan& plan_;
  std::string title_, below_, out_;
  double width_ = 0, step_ = 0;
  Unit unit_ = kUnits[3];
  std::vector<double> marks_;
};

}  // namespace

std::string draw_memory(const RunPlan& plan) { return MemoryChart(plan).finish(); }

}  // namespace weft
