// The steps that tables make of values below a node.
#include "weft/io/graph_def/wires.h"

namespace weft::io {

Wire Wires::apply(std::string_view op, std::span<const Wire> in) {
  Names names;
  for (const Wire& one : in) names.push_back(one.name);
  return {w_.add(op, op, names, {{"T", data_type(in[0].dtype)}}), in[0].dtype};
}

Wire Wires::compare(std::string_view op, const Wire& a, const Wire& b) {
  return {apply(op, {a, b}).name, DType::kBool};
}

Wire Wires::select(const Wire& condition, const Wire& yes, const Wire& no) {
  return {w_.add("SelectV2", "SelectV2", {condition.name, yes.name, no.name},
                 {{"T", data_type(yes.dtype)}}),
          yes.dtype};
}

Wire Wires::cast(const Wire& x, DType dtype) {
  if (x.dtype == dtype) return x;
  return {
      w_.add("Cast", "Cast", {x.name}, {{"SrcT", data_type(x.dtype)}, {"DstT", data_type(dtype)}}),
      dtype};
}

Wire Wires::bitcast(const Wire& x, DType dtype) {
  return {w_.add("Bitcast", "Bitcast", {x.name},
                 {{"T", data_type(x.dtype)}, {"type", data_type(dtype)}}),
          dtype};
}

Wire Wires::transpose(const Wire& x, const Ints& axes) {
  bool in_order = true;
  for (size_t i = 0; i < axes.size(); ++i) {
    in_order = in_order && axes[i] == static_cast<int64_t>(i);
  }
  if (in_order) return x;
  return {w_.add("Transpose", "Transpose", {x.name, w_.ints("perm", axes)},
                 {{"T", data_type(x.dtype)}, {"Tperm", DataType::kInt32}}),
          x.dtype};
}

Wire Wires::reshape(const Wire& x, const Shape& shape) {
  return {w_.add("Reshape", "Reshape", {x.name, w_.shape_to_reshape("shape", shape)},
                 {{"T", data_type(x.dtype)}, {"Tshape", DataType::kInt32}}),
          x.dtype};
}

Wire Wires::broadcast(const Wire& x, const Shape& from, const Shape& to) {
  if (from == to) return x;
  return {w_.add("BroadcastTo", "BroadcastTo", {x.name, w_.shape("shape", to)},
                 {{"T", data_type(x.dtype)}, {"Tidx", DataType::kInt32}}),
          x.dtype};
}

Wire Wires::adjoint(const Wire& x, int64_t rank) {
  Ints axes;
  for (int64_t i = 0; i < rank; ++i) {
    axes.push_back(i < rank - 2 ? i : i == rank - 2 ? rank - 1 : rank - 2);
  }
  const Wire turned = transpose(x, axes);
  return is_complex(x.dtype) ? apply("Conj", {turned}) : turned;
}

Wire Wires::indices(size_t i, Dim size) {
  const Wire x = input(i);
  const bool has_kernel = x.dtype == DType::kI32 || x.dtype == DType::kI64;
  const Wire wide = has_kernel ? x : cast(x, DType::kI64);
  if (is_unsigned_integer(x.dtype)) return wide;
  const Wire extent = cast({w_.size("size", size), DType::kI32}, wide.dtype);
  const Wire is_negative = compare("Less", wide, number(wide.dtype, 0));
  return select(is_negative, apply("AddV2", {wide, extent}), wide);
}

Ints moved_to_end(int64_t axis, int64_t rank) {
  Ints out;
  for (int64_t i = 0; i < rank; ++i) {
    if (i != axis) out.push_back(i);
  }
  out.push_back(axis);
  return out;
}

Ints moved_from_end(int64_t axis, int64_t rank) {
  Ints out;
  for (int64_t i = 0; i < rank; ++i) {
    out.push_back(i < axis ? i : i == axis ? rank - 1 : i - 1);
  }
  return out;
}

}  // namespace weft::io
