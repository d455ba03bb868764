// A drawing for Graphviz.
#include <set>

#include "weft/ir/picture.h"

namespace weft::ir {
namespace {

std::string escaped(std::string_view label) {
  std::string out;
  for (const char c : label) {
    if (c == '"' || c == '\\') out += '\\';
    out += c == '\n' ? ' ' : c;
  }
  return out;
}

constexpr std::string_view kStyles[] = {
    "fillcolor=\"#eef4fb\", color=\"#9dbbdd\"", "fillcolor=\"#fdf1e7\", color=\"#e5a674\"",
    "fillcolor=\"#eaf5ec\", color=\"#93c29e\"", "fillcolor=\"#fdf1e7\", color=\"#e5a674\"",
    "fillcolor=\"#f2f0fa\", color=\"#9b90cc\""};

class DotWriter {
 public:
  DotWriter(const Picture& picture, const std::vector<bool>& is_open)
      : picture_(picture), is_open_(is_open) {}

  std::string finish() {
    out_ =
        "digraph graph_ {\n  compound=true; splines=ortho; fontname=\"Helvetica\"; fontsize=11;\n"
        "  node [shape=box, style=\"rounded,filled\", fontname=\"Helvetica\", fontsize=11];\n"
        "  edge [color=\"#72808d\", arrowsize=0.7];\n";
    write_scope(0, "  ");
    return text(out_, edges_, "}\n");
  }

 private:
  using End = Picture::End;

  bool opens(const Picture::Item& item) const {
    return item.inside != Picture::kNoScope && is_open_[item.inside];
  }
  static std::string name_of(size_t scope, size_t item) { return text('s', scope, "_b", item); }

  void write_scope(size_t s, const std::string& indent) {
    const Picture::Scope& scope = picture_.scopes[s];
    for (size_t i = 0; i < scope.items.size(); ++i) {
      const Picture::Item& item = scope.items[i];
      if (opens(item)) {
        const Picture::Scope& inside = picture_.scopes[item.inside];
        out_ += text(indent, "subgraph cluster_", item.inside, " {\n", indent, "  label=\"",
                     escaped(inside.title), "\"; style=\"rounded",
                     inside.is_function ? ",dashed" : "", "\"; color=\"#d2dae2\";\n");
        write_scope(item.inside, indent + "  ");
        out_ += indent + "}\n";
        continue;
      }
      std::string label = escaped(item.title);
      for (const std::string& line : item.lines) label += text("\\n", escaped(line));
      for (const Picture::Chip& chip : item.chips) label += text("\\n", escaped(chip.text));
      const size_t style = item.inside != Picture::kNoScope ? 4 : size_t(item.kind);
      out_ += text(indent, name_of(s, i), " [label=\"", label, "\", ", kStyles[style], "];\n");
    }
    for (const Picture::Edge& edge : scope.edges) {
      if (edge.from.kind != End::Kind::kItem || edge.to.kind != End::Kind::kItem) continue;
      for (const std::string& from : boxes_of(s, edge.from, /*is_in=*/false)) {
        for (const std::string& to : boxes_of(s, edge.to, /*is_in=*/true)) write(from, to, edge);
      }
    }
  }
  // The boxes at the end of a line: for an open scope, the boxes inside that its port leads to.
  std::vector<std::string> boxes_of(size_t s, const End& end, bool is_in) const {
    const Picture::Item& item = picture_.scopes[s].items[end.index];
    if (!opens(item)) return {name_of(s, end.index)};
    std::vector<std::string> out;
    for (const Picture::Edge& edge : picture_.scopes[item.inside].edges) {
      const End &way = is_in ? edge.from : edge.to, &other = is_in ? edge.to : edge.from;
      const End::Kind kind = is_in ? End::Kind::kWayIn : End::Kind::kWayOut;
      if (way.kind != kind || way.index != end.port || other.kind != End::Kind::kItem) continue;
      for (std::string& box : boxes_of(item.inside, other, is_in)) out.push_back(std::move(box));
    }
    return out;
  }
  void write(const std::string& from, const std::string& to, const Picture::Edge& edge) {
    if (!drawn_.insert({from, to}).second) return;
    constexpr std::string_view kLines[] = {"", " [style=dotted]",
                                           " [style=dashed, color=\"#c9d2da\"]"};
    edges_ += text("  ", from, " -> ", to, kLines[size_t(edge.line)], ";\n");
  }

  const Picture& picture_;
  const std::vector<bool>& is_open_;
  std::set<std::pair<std::string, std::string>> drawn_;
  std::string out_, edges_;
};

}  // namespace

std::string draw_dot(const Function& function, const DrawOptions& options) {
  const Picture picture = picture_of(function, options);
  return DotWriter(picture, open_scopes(picture, options)).finish();
}

}  // namespace weft::ir
