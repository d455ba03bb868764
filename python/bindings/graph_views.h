// What graphs look like from Python, whoever holds them.
#pragma once

#include <nanobind/nanobind.h>

#include "weft/io/graph_def/graph_def.h"
#include "weft/ir/function.h"

namespace weft::python {

// (name, op, inputs, outputs, types, device, line, control inputs, attributes) of a node.
nanobind::object node_info(const ir::Graph& graph, const ir::Node& node);
// "summary", "svg", "html" or "dot". `options` are those of ir::DrawOptions by their names;
// parameters behind `arguments` are captured.
std::string shown(const ir::Function& function, const std::string& what, nanobind::dict options,
                  size_t arguments = SIZE_MAX);
// ([(name, op, inputs, device, [attribute])], bytes, text)
nanobind::object graph_def_to_python(const io::GraphDef& def);
// Sizes, numbers and symbols.
Shape shape_from(nanobind::handle dims);

}  // namespace weft::python
