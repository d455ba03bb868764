// A picture for Graphviz.
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
    "fillcolor=\"#e3e9f3\"",
    "fillcolor=\"#f6ecd2\", shape=ellipse",
    "fillcolor=\"#dcebdc\"",
    "fillcolor=\"#eeeeee\", fontsize=9, height=0.2, margin=\"0.06,0.02\"",
    "fillcolor=\"#f7e3d6\", shape=ellipse",
    "fillcolor=\"#e9e4f2\", peripheries=2",
};

class DotWriter {
 public:
  explicit DotWriter(const Picture& picture) : picture_(picture) {}

  std::string finish() {
    out_ =
        "digraph graph_ {\n  compound=true; newrank=true; fontname=\"Helvetica\"; fontsize=11;\n"
        "  node [shape=box, style=\"rounded,filled\", color=\"#b9b1a2\", fontname=\"Helvetica\", "
        "fontsize=11];\n  edge [color=\"#5c564b\", fontname=\"Helvetica\", fontsize=9, "
        "fontcolor=\"#8a8172\", arrowsize=0.7];\n";
    write_scope(0, "  ");
    for (const Picture::Edge& edge : picture_.edges) write_edge(edge);
    return out_ + "}\n";
  }

 private:
  void write_scope(size_t scope, const std::string& indent) {
    for (size_t i = 0; i < picture_.boxes.size(); ++i) {
      const Picture::Box& box = picture_.boxes[i];
      if (box.scope != scope) continue;
      out_ +=
          text(indent, "b", i, " [label=\"", escaped(box.title), box.detail.empty() ? "" : "\\n",
               escaped(box.detail), "\", ", kStyles[static_cast<size_t>(box.kind)], "];\n");
    }
    for (size_t s = 1; s < picture_.scopes.size(); ++s) {
      if (picture_.scopes[s].parent != scope) continue;
      out_ += text(indent, "subgraph cluster_", s, " {\n", indent, "  label=\"",
                   escaped(picture_.scopes[s].title), "\"; style=\"rounded",
                   picture_.scopes[s].is_function ? ",dashed" : "",
                   "\"; color=\"#c9c2b4\"; fontcolor=\"#8a8172\";\n");
      write_scope(s, indent + "  ");
      out_ += indent + "}\n";
    }
  }

  // Graphviz points at boxes; the head is cut off at the frame of the scope.
  void write_edge(const Picture::Edge& edge) {
    if (edge.line != Picture::Line::kCall) {
      out_ += text("  b", edge.from, " -> b", edge.to);
      if (edge.line == Picture::Line::kOrder) {
        out_ += " [style=dashed, color=\"#a09888\"]";
      } else if (!edge.label.empty()) {
        out_ += text(" [label=\"", escaped(edge.label), "\"]");
      }
      out_ += ";\n";
      return;
    }
    for (size_t i = 0; i < picture_.boxes.size(); ++i) {
      if (picture_.boxes[i].scope != edge.to) continue;
      out_ += text("  b", edge.from, " -> b", i, " [lhead=cluster_", edge.to,
                   ", style=dotted, color=\"#8a8172\"];\n");
      return;
    }
  }

  const Picture& picture_;
  std::string out_;
};

}  // namespace

std::string draw_dot(const Function& function, const DrawOptions& options) {
  return DotWriter(picture_of(function, options)).finish();
}

}  // namespace weft::ir
