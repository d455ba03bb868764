// Constants, placeholders, and what Variables do in a graph.
#include "weft/state/state.h"

#include "weft/state/saving.h"

#include "weft/io/graph_def/writer.h"

namespace weft::io {
namespace {

void constant(Writer& w, std::string_view) {
  const Tensor& value = w.attribute<Tensor>("value");
  w.give("Const", {}, {{"dtype", data_type(value.dtype())}, {"value", value}});
}

// A path is bytes here, and a text there.
void placeholder(Writer& w, std::string_view) {
  if (w.is_path()) {
    return w.give("Placeholder", {}, {{"dtype", DataType::kString}, {"shape", TensorShape{}}});
  }
  w.give("Placeholder", {},
         {{"dtype", data_type(w.output_type().dtype)},
          {"shape", tensor_shape(w.output_type().shape)}});
}

void identity(Writer& w, std::string_view) { w.give("Identity", w.inputs(), typed(w)); }

// TensorFlow's ops do not check values, so check.values is exported as its first input.
void unchecked(Writer& w, std::string_view) { w.give("Identity", {w.inputs()[0]}, typed(w)); }
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

// Names and, as empty texts, slices: TensorFlow has both as inputs.
Names saved_inputs(Writer& w, const SavedValues& values) {
  Texts names, slices;
  for (const SavedValue& one : values) {
    names.items.push_back(one.name);
    slices.items.emplace_back();
  }
  const auto constant = [&](std::string_view suffix, Texts texts) {
    return w.add(suffix, "Const", {}, {{"dtype", DataType::kString}, {"value", std::move(texts)}});
  };
  const std::string named = constant("tensor_names", std::move(names));
  return {w.input(0), named, constant("shape_and_slices", std::move(slices))};
}

void save_or_restore(Writer& w, std::string_view tf) {
  const SavedValues values = parse_saved_values(w.attribute<std::string>("values"));
  Names in = saved_inputs(w, values);
  for (size_t i = 1; i < w.input_count(); ++i) in.push_back(w.input(i));
  std::vector<DataType> types;
  for (const SavedValue& one : values) types.push_back(data_type(one.type.dtype));
  w.give(tf, std::move(in), {{"dtypes", std::move(types)}});
}

// What a number of Python's is computed to; TensorFlow has no check of what does not fit.
void number(Writer& w, std::string_view) {
  static constexpr std::pair<std::string_view, std::string_view> kOps[] = {
      {"+", "AddV2"},     {"-", "Sub"},      {"*", "Mul"}, {"/", "RealDiv"},
      {"//", "FloorDiv"}, {"%", "FloorMod"}, {"**", "Pow"}};
  const auto& operation = w.attribute<std::string>("operation");
  for (const auto& [ours, theirs] : kOps) {
    if (operation == ours) return w.give(theirs, w.inputs(), typed(w));
  }
  if (operation != "int") return identity(w, {});
  w.give("Cast", w.inputs(),
         {{"SrcT", data_type(w.input_type(0).dtype)}, {"DstT", data_type(w.output_type().dtype)}});
}

constexpr Row kRows[] = {
    {"number", number},
    {"save_tensors", save_or_restore, "SaveV2"},
    {"restore_tensors", save_or_restore, "RestoreV2"},
    {"constant", constant},
    {"placeholder", placeholder},
    {"identity", identity},
    {"check.values", unchecked},
    {"no_op", nothing},
    {"read_variable", read},
    {"assign_variable", assign},
};

}  // namespace

std::span<const Row> state_rows() { return kRows; }

}  // namespace weft::io
