// Reductions, their axes as an input, and scans.
#include "weft/io/graph_def/writer.h"

namespace weft::io {
namespace {

std::string in_output_dtype(Writer& w) {
  const DType from = w.input_type(0).dtype, to = w.output_type().dtype;
  if (from == to) return w.input(0);
  return w.add("Cast", "Cast", {w.input(0)}, {{"SrcT", data_type(from)}, {"DstT", data_type(to)}});
}

Ints all_axes(int64_t rank) {
  Ints out;
  for (int64_t axis = 0; axis < rank; ++axis) out.push_back(axis);
  return out;
}

Attributes reduced(Writer& w, DType dtype, bool has_dtype) {
  Attributes attr{{"Tidx", DataType::kInt32}, {"keep_dims", w.attribute<bool>("keepdims")}};
  if (has_dtype) attr["T"] = data_type(dtype);
  return attr;
}

std::string axes(Writer& w) {
  const auto& axis = w.attribute<std::optional<Ints>>("axis");
  return w.ints("reduction_indices", axis ? *axis : all_axes(w.input_type(0).rank()));
}

// Integers are summed in 64 bits: the input is converted first.
void reduction(Writer& w, std::string_view tf) {
  const std::string x = in_output_dtype(w);
  w.give(tf, {x, axes(w)}, reduced(w, w.output_type().dtype, true));
}

void logical(Writer& w, std::string_view tf) {
  std::string x = w.input(0);
  if (w.input_type(0).dtype != DType::kBool) {
    x = w.add("Cast", "Cast", {x},
              {{"SrcT", data_type(w.input_type(0).dtype)}, {"DstT", DataType::kBool}});
  }
  w.give(tf, {x, axes(w)}, reduced(w, DType::kBool, false));
}

// Without an axis the place is counted in the flattened input.
void place(Writer& w, std::string_view tf) {
  const auto& axis = w.attribute<std::optional<int64_t>>("axis");
  const DataType type = data_type(w.input_type(0).dtype);
  const bool keeps = w.attribute<bool>("keepdims");
  std::string x = w.input(0);
  if (!axis) {
    const int64_t whole = -1;
    x = w.add("Reshape", "Reshape", {x, w.ints("shape", {&whole, 1})},
              {{"T", type}, {"Tshape", DataType::kInt32}});
  }
  const std::string dimension = w.int_scalar("dimension", axis.value_or(0));
  const Attributes attr{{"T", type}, {"Tidx", DataType::kInt32}, {"output_type", DataType::kInt64}};
  if (!keeps) return w.give(tf, {x, dimension}, attr);
  const std::string found = w.add(tf, tf, {x, dimension}, attr);
  w.give("Reshape", {found, w.shape_to_reshape("output_shape", w.output_type().shape)},
         {{"T", DataType::kInt64}, {"Tshape", DataType::kInt32}});
}

void scan(Writer& w, std::string_view tf) {
  Attributes attr = typed(w);
  attr["Tidx"] = DataType::kInt32;
  w.give(tf, {w.input(0), w.int_scalar("axis", w.attribute<int64_t>("axis"))}, attr);
}

constexpr Row kRows[] = {
    {"sum", reduction, "Sum"},
    {"prod", reduction, "Prod"},
    {"max", reduction, "Max"},
    {"min", reduction, "Min"},
    {"all", logical, "All"},
    {"any", logical, "Any"},
    {"argmax", place, "ArgMax"},
    {"argmin", place, "ArgMin"},
    {"cumulative_sum.scan", scan, "Cumsum"},
    {"cumulative_prod.scan", scan, "Cumprod"},
    {"logcumsumexp", scan, "CumulativeLogsumexp"},
};

}  // namespace

std::span<const Row> reduce_rows() { return kRows; }

}  // namespace weft::io
