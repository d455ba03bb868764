// The arena as a picture: what lives when, and where.
#include <algorithm>

#include "weft/runtime/plan.h"
#include "weft/runtime/profile.h"

namespace weft {
namespace {

constexpr int64_t kHeight = 480, kLeft = 90, kTop = 40, kBottom = 60;

std::string in_xml(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '<') {
      out += "&lt;";
    } else if (c == '>') {
      out += "&gt;";
    } else if (c == '&') {
      out += "&amp;";
    } else if (c == '"') {
      out += "&quot;";
    } else {
      out += c;
    }
  }
  return out;
}

// 1234567 as "1.2 MB".
std::string size_text(int64_t bytes) {
  static constexpr std::string_view kUnits[] = {"B", "kB", "MB", "GB", "TB"};
  size_t unit = 0;
  int64_t tenths = bytes * 10;
  while (tenths >= 10000 && unit + 1 < std::size(kUnits)) tenths /= 1000, ++unit;
  return unit == 0 ? text(bytes, " B") : text(tenths / 10, '.', tenths % 10, ' ', kUnits[unit]);
}

// A colour that a name keeps.
std::string colour_of(std::string_view name) {
  uint32_t hash = 2166136261u;
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619u;
  return text("hsl(", hash % 360, ", 55%, 65%)");
}

}  // namespace

std::string draw_memory(const RunPlan& plan) {
  const ir::Graph& graph = plan.function->graph;
  const auto steps = static_cast<int64_t>(std::max<size_t>(1, plan.instructions.size()));
  const int64_t step = std::clamp<int64_t>(1000 / steps, 6, 60);
  const int64_t width = kLeft + steps * step + 20, height = kTop + kHeight + kBottom;
  const int64_t all = std::max<int64_t>(1, plan.arena.bytes);
  // From the bottom up, as heaps are drawn; a value is at least a hair high.
  const auto y_of = [&](int64_t bytes) {
    return kTop + kHeight -
           static_cast<int64_t>(static_cast<double>(bytes) / static_cast<double>(all) *
                                static_cast<double>(kHeight));
  };
  std::string out =
      text("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"", width, "\" height=\"", height,
           "\" font-family=\"sans-serif\" font-size=\"11\">\n",
           "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n<text x=\"", kLeft,
           "\" y=\"20\" font-size=\"14\">@", in_xml(plan.function->name), ": ",
           plan.instructions.size(), " instructions in an arena of ", size_text(plan.arena.bytes),
           ", of which at most ", size_text(plan.arena.lower_bound), " live at once</text>\n");
  for (int i = 0; i <= 4; ++i) {
    const int64_t bytes = all * i / 4;
    out += text("<line x1=\"", kLeft, "\" x2=\"", width - 20, "\" y1=\"", y_of(bytes), "\" y2=\"",
                y_of(bytes), "\" stroke=\"#ddd\"/><text x=\"", kLeft - 8, "\" y=\"",
                y_of(bytes) + 4, "\" text-anchor=\"end\">", size_text(bytes), "</text>\n");
  }
  for (ir::ValueId id = 0; id < plan.values.size(); ++id) {
    const PlannedValue& v = plan.values[id];
    if (v.root != id || v.home != Home::kArena) continue;
    const std::string name = graph.name_of(id);
    const int64_t x = kLeft + v.birth * step, top = y_of(v.offset + v.bytes());
    const int64_t wide = (static_cast<int64_t>(v.death) - v.birth + 1) * step;
    const int64_t high = std::max<int64_t>(1, y_of(v.offset) - top);
    out += text("<rect x=\"", x, "\" y=\"", top, "\" width=\"", wide, "\" height=\"", high,
                "\" fill=\"", colour_of(graph.node(graph.value(id).maker).op->name),
                "\" stroke=\"white\" stroke-width=\"0.5\"><title>", in_xml(name), ": ",
                in_xml(text(v.type)), ", ", size_text(v.bytes()), ", instructions ", v.birth,
                " to ", v.death, v.shares ? ", in place" : "", "</title></rect>\n");
    if (high >= 12 && wide >= 40) {
      out += text("<text x=\"", x + 3, "\" y=\"", top + 11, "\">",
                  in_xml(name.substr(0, static_cast<size_t>(wide / 7))), "</text>\n");
    }
  }
  return out + text("<text x=\"", kLeft, "\" y=\"", height - 20,
                    "\">instructions, in the order in which they run</text>\n</svg>\n");
}

}  // namespace weft
