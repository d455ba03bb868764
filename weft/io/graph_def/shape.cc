// Shapes, joining, cutting and indexing: what is an attribute here is mostly an input there.
#include <algorithm>

#include "weft/io/graph_def/writer.h"

namespace weft::io {
namespace {

void reshape(Writer& w, std::string_view) {
  Attributes attr = typed(w);
  attr["Tshape"] = DataType::kInt32;
  w.give("Reshape", {w.input(0), w.shape_to_reshape("shape", w.output_type().shape)}, attr);
}

void broadcast(Writer& w, std::string_view) {
  Attributes attr = typed(w);
  attr["Tidx"] = DataType::kInt32;
  w.give("BroadcastTo", {w.input(0), w.shape("shape", w.output_type().shape)}, attr);
}

void permute(Writer& w, std::string_view) {
  Attributes attr = typed(w);
  attr["Tperm"] = DataType::kInt32;
  const int64_t rank = w.input_type(0).rank();
  Ints axes = w.attribute<Ints>("axes");
  for (int64_t& axis : axes) axis = normalized(axis, rank);
  w.give("Transpose", {w.input(0), w.ints("perm", axes)}, attr);
}

void expand(Writer& w, std::string_view) {
  const Ints& axes = w.attribute<Ints>("axis");
  if (axes.size() != 1) return reshape(w, "");
  Attributes attr = typed(w);
  attr["Tdim"] = DataType::kInt32;
  w.give("ExpandDims", {w.input(0), w.int_scalar("dim", axes[0])}, attr);
}

void squeeze(Writer& w, std::string_view) {
  const Ints& axes = w.attribute<Ints>("axis");
  if (axes.empty()) return w.give("Identity", {w.input(0)}, typed(w));
  Attributes attr = typed(w);
  attr["squeeze_dims"] = std::vector<int64_t>(axes.begin(), axes.end());
  w.give("Squeeze", {w.input(0)}, attr);
}

void concat(Writer& w, std::string_view) {
  Attributes attr = typed(w);
  attr["N"] = static_cast<int64_t>(w.input_count());
  attr["Tidx"] = DataType::kInt32;
  Names in = w.inputs();
  const auto& axis = w.attribute<std::optional<int64_t>>("axis");
  if (!axis) {  // each is flattened first
    const int64_t whole = -1;
    for (std::string& one : in) {
      one = w.add("Reshape", "Reshape", {one, w.ints("shape", {&whole, 1})},
                  {{"T", attr["T"]}, {"Tshape", DataType::kInt32}});
    }
  }
  if (in.size() == 1) return w.give("Identity", in, typed(w));
  in.push_back(w.int_scalar("axis", axis.value_or(0)));
  w.give("ConcatV2", in, attr);
}

void stack(Writer& w, std::string_view) {
  Attributes attr = typed(w);
  attr["N"] = static_cast<int64_t>(w.input_count());
  attr["axis"] = normalized(w.attribute<int64_t>("axis"), w.output_type().rank());
  w.give("Pack", w.inputs(), attr);
}

void split(Writer& w, std::string_view) {
  const Shape& sizes = w.attribute<Shape>("sizes");
  Attributes attr = typed(w);
  attr["Tlen"] = DataType::kInt32;
  attr["num_split"] = static_cast<int64_t>(sizes.size());
  w.give("SplitV",
         {w.input(0), w.shape("size_splits", sizes),
          w.int_scalar("split_dim", w.attribute<int64_t>("axis"))},
         attr);
}

// The inputs and the masks of a strided slice.
struct Slice {
  Ints begin, end, strides;
  int64_t begin_mask = 0, end_mask = 0, ellipsis_mask = 0, new_axis_mask = 0, shrink_axis_mask = 0;

  explicit Slice(const Index& index) {
    for (size_t i = 0; i < index.size(); ++i) {
      const IndexItem& item = index[i];
      const int64_t bit = int64_t{1} << i;
      const bool is_integer = item.kind == IndexItem::Kind::kInteger;
      begin.push_back(item.start.value_or(0));
      end.push_back(is_integer ? item.start.value_or(0) + 1 : item.stop.value_or(0));
      strides.push_back(item.kind == IndexItem::Kind::kRange ? item.step : 1);
      switch (item.kind) {
        case IndexItem::Kind::kInteger: shrink_axis_mask |= bit; break;
        case IndexItem::Kind::kNewAxis: new_axis_mask |= bit; break;
        case IndexItem::Kind::kEllipsis: ellipsis_mask |= bit; break;
        case IndexItem::Kind::kRange:
          if (!item.start) begin_mask |= bit;
          if (!item.stop) end_mask |= bit;
      }
    }
  }
  Names inputs(Writer& w, std::string x) const {
    return {std::move(x), w.ints("begin", begin), w.ints("end", end), w.ints("strides", strides)};
  }
  Attributes attributes(Attributes attr) const {
    attr["Index"] = DataType::kInt32;
    attr["begin_mask"] = begin_mask;
    attr["end_mask"] = end_mask;
    attr["ellipsis_mask"] = ellipsis_mask;
    attr["new_axis_mask"] = new_axis_mask;
    attr["shrink_axis_mask"] = shrink_axis_mask;
    return attr;
  }
};

void slice(Writer& w, std::string_view) {
  const Slice cut(w.attribute<Index>("index"));
  w.give("StridedSlice", cut.inputs(w, w.input(0)), cut.attributes(typed(w)));
}

void slice_update(Writer& w, std::string_view) {
  const Slice cut(w.attribute<Index>("index"));
  Names in = cut.inputs(w, w.input(0));
  in.push_back(w.input(1));
  w.give("TensorStridedSliceUpdate", in, cut.attributes(typed(w)));
}

void flip(Writer& w, std::string_view) {
  const auto& axis = w.attribute<std::optional<Ints>>("axis");
  Ints axes;
  for (int64_t i = 0; i < w.input_type(0).rank(); ++i) axes.push_back(i);
  Attributes attr = typed(w);
  attr["Tidx"] = DataType::kInt32;
  w.give("ReverseV2", {w.input(0), w.ints("axis", axis ? *axis : axes)}, attr);
}

void pad(Writer& w, std::string_view) {
  const Ints &before = w.attribute<Ints>("before"), &after = w.attribute<Ints>("after");
  const std::string& mode = w.attribute<std::string>("mode");
  std::vector<int32_t> pairs;
  for (size_t i = 0; i < before.size(); ++i) {
    pairs.push_back(static_cast<int32_t>(before[i]));
    pairs.push_back(static_cast<int32_t>(after[i]));
  }
  const std::string paddings = w.constant(
      "paddings", Tensor::from_bytes(DType::kI32, Shape{static_cast<int64_t>(before.size()), 2},
                                     std::as_bytes(std::span(pairs))));
  Attributes attr = typed(w);
  attr["Tpaddings"] = DataType::kInt32;
  if (mode == "constant") {
    const bool has_value = w.input_count() > 1 && w.node().inputs[1] != ir::kNone;
    const std::string value =
        has_value ? w.input(1) : w.number("constant_values", w.input_type(0).dtype, 0);
    return w.give("PadV2", {w.input(0), paddings, value}, attr);
  }
  if (mode != "reflect" && mode != "symmetric") w.fail_op("pads in a mode that TensorFlow lacks");
  attr["mode"] = std::string(mode == "reflect" ? "REFLECT" : "SYMMETRIC");
  w.give("MirrorPad", {w.input(0), paddings}, attr);
}

void zeros(Writer& w, std::string_view) {
  const DType dtype = w.output_type().dtype;
  w.give("Fill", {w.shape("dims", w.output_type().shape), w.number("value", dtype, 0)},
         {{"T", data_type(dtype)}, {"index_type", DataType::kInt32}});
}

void same(Writer& w, std::string_view tf) { w.give(tf, w.inputs(), typed(w)); }

constexpr Row kRows[] = {
    {"reshape", reshape},
    {"broadcast_to", broadcast},
    {"permute_dims", permute},
    {"expand_dims", expand},
    {"squeeze", squeeze},
    {"concat", concat},
    {"stack", stack},
    {"split", split},
    {"slice", slice},
    {"slice_update", slice_update},
    {"flip", flip},
    {"pad", pad},
    {"zeros", zeros},
    {"stop_gradient", same, "StopGradient"},
};

}  // namespace

std::span<const Row> shape_rows() { return kRows; }

}  // namespace weft::io
