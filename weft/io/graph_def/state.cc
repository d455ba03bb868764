// Constants, placeholders, and what Variables do in a graph.
#include "weft/state/state.h"

#include "weft/io/graph_def/writer.h"

namespace weft::io {
namespace {

void constant(Writer& w, std::string_view) {
  const Tensor& value = w.attribute<Tensor>("value");
  w.give("Const", {}, {{"dtype", data_type(value.dtype())}, {"value", value}});
}

void placeholder(Writer& w, std::string_view) {
  w.give("Placeholder", {},
         {{"dtype", data_type(w.output_type().dtype)},
          {"shape", tensor_shape(w.output_type().shape)}});
}

void identity(Writer& w, std::string_view) { w.give("Identity", w.inputs(), typed(w)); }
void nothing(Writer& w, std::string_view) { w.give("NoOp", {}); }

void read(Writer& w, std::string_view) {
  const auto& variable = w.attribute<Variable>("variable");
  const DataType type = data_type(variable.dtype());
  if (w.options().variables_as_constants) {
    w.give("Const", {}, {{"dtype", type}, {"value", variable.value()}});
  } else {
    w.give("ReadVariableOp", {w.handle(variable)}, {{"dtype", type}});
  }
}

// The value that was written is handed on once it is.
void assign(Writer& w, std::string_view) {
  if (w.options().variables_as_constants) w.fail_op("writes to a Variable that becomes a constant");
  const auto& variable = w.attribute<Variable>("variable");
  const DataType type = data_type(variable.dtype());
  const std::string assigned = w.add_in_order("Assign", "AssignVariableOp",
                                              {w.handle(variable), w.input(0)}, {{"dtype", type}});
  w.give("Identity", {w.input(0), "^" + assigned}, {{"T", type}});
}

constexpr Row kRows[] = {
    {"constant", constant}, {"placeholder", placeholder}, {"identity", identity},
    {"no_op", nothing},     {"read_variable", read},      {"assign_variable", assign},
};

}  // namespace

std::span<const Row> state_rows() { return kRows; }

}  // namespace weft::io
