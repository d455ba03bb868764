// Nodes, pictures and GraphDefs as Python objects.
#include "bindings/graph_views.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>

#include "bindings/dim_object.h"
#include "bindings/from_python.h"
#include "bindings/tensor_object.h"
#include "weft/io/graph_def/text.h"
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

nb::bytes bytes_of_text(const std::string& text) { return nb::bytes(text.data(), text.size()); }

// The field of an AttrValue that a value is written to, and what Python has for it.
struct Described {
  const char* field;
  nb::object value;
};

Described described(bool v) { return {"b", nb::cast(v)}; }
Described described(int64_t v) { return {"i", nb::cast(v)}; }
Described described(float v) { return {"f", nb::cast(v)}; }
Described described(const std::string& v) { return {"s", bytes_of_text(v)}; }
Described described(io::DataType v) { return {"type", nb::cast(static_cast<int>(v))}; }
Described described(const io::TensorShape& v) {
  nb::list sizes;
  for (const int64_t size : v.dim) sizes.append(size);
  return {"shape", sizes};
}
Described described(const Tensor& v) { return {"tensor", nb::steal(wrap(v))}; }
Described described(const io::StringScalar& v) { return {"tensor", bytes_of_text(v.value)}; }
Described described(const io::Texts& v) {
  nb::list items;
  for (const std::string& item : v.items) items.append(bytes_of_text(item));
  return {"tensor", items};
}
Described described(const io::FunctionName& v) { return {"func", nb::cast(v.name)}; }
template <class T>
Described described(const std::vector<T>& v) {
  nb::list items;
  const char* const field = described(T{}).field;
  for (const T& item : v) items.append(described(item).value);
  return {"list", nb::make_tuple(field, items)};
}

// (field, value, text)
nb::object attr_info(const io::AttrValue& value) {
  return std::visit(
      [&](const auto& v) -> nb::object {
        const Described one = described(v);
        return nb::make_tuple(one.field, one.value, io::text_of(value));
      },
      value);
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

std::string shown(const ir::Function& function, const std::string& what, nb::dict given,
                  size_t arguments) {
  if (what == "summary") return ir::summary(function);
  ir::DrawOptions options;
  options.arguments = arguments;
  if (given.contains("depth")) options.depth = nb::cast<int>(given["depth"]);
  if (given.contains("repeats")) options.repeats = nb::cast<bool>(given["repeats"]);
  if (given.contains("sizes")) options.sizes = nb::cast<bool>(given["sizes"]);
  if (given.contains("title")) options.title = nb::cast<std::string>(given["title"]);
  if (given.contains("modules")) {
    for (const auto& [path, module] : nb::cast<nb::dict>(given["modules"])) {
      const auto [type, parameters, is_leaf] =
          nb::cast<std::tuple<std::string, int64_t, bool>>(module);
      options.modules[nb::cast<std::string>(path)] = {type, parameters, is_leaf};
    }
  }
  if (what == "dot") return ir::draw_dot(function, options);
  return what == "html" ? ir::draw_html(function, options) : ir::draw_svg(function, options);
}

nb::object graph_def_to_python(const io::GraphDef& def) {
  nb::list nodes;
  for (const io::NodeDef& node : def.node) {
    nb::dict attrs;
    for (const auto& [name, value] : node.attr) attrs[nb::str(name.c_str())] = attr_info(value);
    nb::list in;
    for (const std::string& input : node.input) in.append(input);
    nodes.append(nb::make_tuple(node.name, node.op, in, node.device, attrs, io::text_of(node)));
  }
  const std::string bytes = def.bytes();
  return nb::make_tuple(nodes, nb::bytes(bytes.data(), bytes.size()), def.text());
}

}  // namespace weft::python
