// Nodes, pictures and GraphDefs as Python objects.
#include "bindings/graph_views.h"

#include <nanobind/stl/string.h>

#include "bindings/dim_object.h"
#include "bindings/from_python.h"
#include "weft/ir/draw.h"
#include "weft/ir/summary.h"
#include "weft/op/registry.h"

namespace nb = nanobind;

namespace weft::python {
namespace {

nb::list value_names(const ir::Graph& graph, const ir::ValueIds& ids) {
  nb::list out;
  for (const ir::ValueId id : ids) {
    out.append(id == ir::kNone ? nb::object(nb::none()) : nb::cast(graph.name_of(id)));
  }
  return out;
}

}  // namespace

Shape shape_from(nb::handle dims) {
  Shape out;
  for (nb::handle item : dims) {
    const std::optional<Dim> dim = dim_in(item.ptr());
    out.push_back(dim ? *dim : Dim(int_from(item.ptr(), {"shape", "size"})));
  }
  return out;
}

nb::object node_info(const ir::Graph& graph, const ir::Node& node) {
  nb::list after;
  for (const ir::NodeId id : node.after) after.append(graph.node(id).name);
  nb::list types;
  for (const ir::ValueId id : node.outputs) types.append(text(graph.value(id).type));
  return nb::make_tuple(node.name, std::string(node.op->name), value_names(graph, node.inputs),
                        value_names(graph, node.outputs), types, node.device,
                        node.where.known() ? to_string(node.where) : std::string(), after,
                        print_attrs(*node.op->attrs, node.attributes()));
}

std::string shown(const ir::Function& function, const std::string& what, int depth) {
  if (what == "summary") return ir::summary(function);
  const ir::DrawOptions options{.depth = depth};
  return what == "dot" ? ir::draw_dot(function, options) : ir::draw_svg(function, options);
}

nb::object graph_def_to_python(const io::GraphDef& def) {
  nb::list nodes;
  for (const io::NodeDef& node : def.node) {
    nb::list names;
    for (const auto& [name, value] : node.attr) names.append(name);
    nb::list in;
    for (const std::string& input : node.input) in.append(input);
    nodes.append(nb::make_tuple(node.name, node.op, in, node.device, names));
  }
  const std::string bytes = def.bytes();
  return nb::make_tuple(nodes, nb::bytes(bytes.data(), bytes.size()), def.text());
}

}  // namespace weft::python
