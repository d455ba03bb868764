// Order: TensorFlow sorts by its greatest elements, equal ones in the order of their places.
#include "weft/io/graph_def/wires.h"

namespace weft::io {
namespace {

// Integers in the order of the elements: NaN is the greatest, and -0 equals +0.
Wire keys(Wires& wires, Wire x) {
  if (is_floating(x.dtype)) {
    const DType dtype = x.dtype == DType::kF64 ? x.dtype : DType::kF32;
    const DType whole = dtype == DType::kF64 ? DType::kI64 : DType::kI32;
    const double least = dtype == DType::kF64 ? -0x1p63 : -0x1p31;
    const double greatest = dtype == DType::kF64 ? 0x1p63 - 1024 : 0x1p31 - 1;
    const Wire number = wires.cast(x, dtype);
    // The bits of negative numbers count their sizes from the least integer on.
    const Wire bits = wires.bitcast(number, whole);
    const Wire is_negative = wires.compare("Less", bits, wires.number(whole, 0));
    const Wire turned = wires.apply("Sub", {wires.number(whole, least), bits});
    return wires.select(wires.compare("NotEqual", number, number), wires.number(whole, greatest),
                        wires.select(is_negative, turned, bits));
  }
  if (x.dtype != DType::kU64) return wires.cast(x, DType::kI64);
  return wires.apply("BitwiseXor",
                     {wires.bitcast(x, DType::kI64), wires.number(DType::kI64, -0x1p63)});
}

// The places of the first `count` along the axis.
void give_places(Writer& w, const std::string& count, bool greatest_first) {
  Wires wires(w);
  const int64_t rank = w.input_type(0).rank();
  if (rank == 0) return wires.give(wires.number(DType::kI64, 0));
  const int64_t axis = normalized(w.attribute<int64_t>("axis"), rank);
  Wire key = keys(wires, wires.transpose(wires.input(0), moved_to_end(axis, rank)));
  if (!greatest_first) key = wires.apply("Invert", {key});
  const std::string top = w.add("TopKV2", "TopKV2", {key.name, count},
                                {{"T", data_type(key.dtype)},
                                 {"Tk", DataType::kInt32},
                                 {"index_type", DataType::kInt32},
                                 {"sorted", true}});
  const Wire places = wires.cast({top + ":1", DType::kI32}, DType::kI64);
  wires.give(wires.transpose(places, moved_from_end(axis, rank)));
}

void argsort(Writer& w, std::string_view) {
  const Type& type = w.input_type(0);
  const bool is_scalar = type.rank() == 0;
  const auto axis =
      static_cast<size_t>(is_scalar ? 0 : normalized(w.attribute<int64_t>("axis"), type.rank()));
  give_places(w, is_scalar ? "" : w.size("k", type.shape[axis]), w.attribute<bool>("descending"));
}

void topk(Writer& w, std::string_view) {
  give_places(w, w.int_scalar("k", w.attribute<int64_t>("k")), w.attribute<bool>("largest"));
}

// Rows of both, or one row for all values.
void search(Writer& w, std::string_view) {
  Wires wires(w);
  const Shape &sorted = w.input_type(0).shape, &values = w.input_type(1).shape;
  const auto rows_of = [](const Shape& shape, bool is_one) {
    Dim rows = 1, columns = 1;
    for (size_t i = 0; i < shape.size(); ++i) {
      (is_one || i + 1 == shape.size() ? columns : rows) *= shape[i];
    }
    return Shape{rows, columns};
  };
  const bool is_one = sorted.size() == 1;
  const Wire in = keys(wires, wires.reshape(wires.input(0), rows_of(sorted, is_one)));
  const Wire what = keys(wires, wires.reshape(wires.input(1), rows_of(values, is_one)));
  const bool is_left = w.attribute<std::string>("side") == "left";
  const std::string_view op = is_left ? "LowerBound" : "UpperBound";
  const Wire places{w.add(op, op, {in.name, what.name},
                          {{"T", data_type(in.dtype)}, {"out_type", DataType::kInt64}}),
                    DType::kI64};
  wires.give(wires.reshape(places, values));
}

constexpr Row kRows[] = {
    {"argsort", argsort},
    {"topk.indices", topk},
    {"searchsorted.indices", search},
};

}  // namespace

std::span<const Row> sort_rows() { return kRows; }

}  // namespace weft::io
