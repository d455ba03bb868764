// What people see of a run: checks and printing; and sizes as numbers.
#include "weft/io/graph_def/wires.h"
#include "weft/state/filled_text.h"

namespace weft::io {
namespace {

std::string string_constant(Writer& w, std::string_view suffix, const std::string& value) {
  return w.add(suffix, "Const", {}, {{"dtype", DataType::kString}, {"value", StringScalar{value}}});
}

// The condition is handed on once it was looked at.
void check(Writer& w, std::string_view) {
  std::string said = w.attribute<std::string>("message");
  std::vector<std::string> in{w.input(0), ""};
  std::vector<DataType> types{DataType::kString};
  for (size_t i = 1; i < w.input_count(); ++i) {  // TensorFlow shows values behind the message
    in.push_back(w.input(i));
    types.push_back(data_type(w.input_type(i).dtype));
  }
  if (w.input_count() > 1) said = text_with(said, "{}");
  in[1] = string_constant(w, "message", said);
  const std::string checked =
      w.add_in_order("Assert", "Assert", in, {{"T", types}, {"summarize", int64_t{3}}});
  w.give("Identity", {w.input(0), "^" + checked}, typed(w));
}

// Numbers of classes, which are looked at before they are handed on.
void labels(Writer& w, std::string_view) {
  Wires wires(w);
  const int64_t classes = w.attribute<int64_t>("classes"), rank = w.input_type(0).rank();
  const Wire x = wires.cast(wires.input(0), DType::kI64);
  const Wire above = wires.compare("GreaterEqual", x, wires.number(DType::kI64, 0));
  const Wire below =
      wires.compare("Less", x, wires.number(DType::kI64, static_cast<double>(classes)));
  const std::string each = w.add("LogicalAnd", "LogicalAnd", {above.name, below.name});
  Ints axes;
  for (int64_t axis = 0; axis < rank; ++axis) axes.push_back(axis);
  const std::string all = w.add("All", "All", {each, w.ints("reduction_indices", axes)},
                                {{"Tidx", DataType::kInt32}, {"keep_dims", false}});
  const std::string message = string_constant(
      w, "message", text("a target is out of range; classes go from 0 to ", classes - 1));
  const std::string checked =
      w.add_in_order("Assert", "Assert", {all, message},
                     {{"T", std::vector<DataType>{DataType::kString}}, {"summarize", int64_t{3}}});
  w.give("Identity", {w.input(0), "^" + checked}, typed(w));
}

// Numbers look as TensorFlow prints them.
void print(Writer& w, std::string_view) {
  std::vector<DataType> types;
  for (size_t i = 0; i < w.input_count(); ++i) types.push_back(data_type(w.input_type(i).dtype));
  std::string pattern = w.attribute<std::string>("pattern"), placeholder = "{}";
  if (w.attribute<bool>("formats")) {
    while (text_with(pattern, "").find(placeholder) != std::string::npos) {
      placeholder.insert(1, "-");  // one that the text does not have
    }
    pattern = text_with(pattern, placeholder);
  }
  const std::string line = w.add("StringFormat", "StringFormat", w.inputs(),
                                 {{"T", types},
                                  {"template", pattern},
                                  {"placeholder", placeholder},
                                  {"summarize", int64_t{-1}}});
  w.give("PrintV2", {line}, {{"output_stream", std::string("stdout")}, {"end", std::string()}});
}

void size_value(Writer& w, std::string_view) {
  w.give("Cast", {w.size("size", w.attribute<Shape>("size")[0])},
         {{"SrcT", DataType::kInt32}, {"DstT", DataType::kInt64}});
}

constexpr Row kRows[] = {
    {"assert_true", check},
    {"print_values", print},
    {"size_value", size_value},
    {"nn.cross_entropy.labels", labels},
};

}  // namespace

std::span<const Row> effect_rows() { return kRows; }

}  // namespace weft::io
