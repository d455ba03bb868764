// Reading and writing at indices. TensorFlow's count from 0 on, and stand for the first axes.
#include <algorithm>

#include "weft/io/graph_def/wires.h"
#include "weft/ops/shape/index_at.h"

namespace weft::io {
namespace {

void take(Writer& w, std::string_view) {
  Wires wires(w);
  const int64_t axis =
      normalized(w.attribute<std::optional<int64_t>>("axis").value_or(0), w.input_type(0).rank());
  const Wire places = wires.indices(1, w.input_type(0).shape[static_cast<size_t>(axis)]);
  w.give("GatherV2", {w.input(0), places.name, w.int_scalar("axis", axis)},
         {{"Tparams", data_type(w.input_type(0).dtype)},
          {"Tindices", data_type(places.dtype)},
          {"Taxis", DataType::kInt32},
          {"batch_dims", w.attribute<int64_t>("batch_axes")}});
}

// Along the last axis, each row by its own indices; other axes broadcast.
void gather(Writer& w, std::string_view) {
  Wires wires(w);
  const int64_t rank = w.input_type(0).rank(), last = rank - 1;
  const int64_t axis = normalized(w.attribute<int64_t>("axis"), rank);
  const auto along = static_cast<size_t>(axis);
  const Shape &x_shape = w.input_type(0).shape, &index_shape = w.input_type(1).shape;
  Shape x_joint = w.output_type().shape;
  x_joint[along] = x_shape[along];
  const Ints to_end = moved_to_end(axis, rank);
  const Wire x = wires.transpose(wires.broadcast(wires.input(0), x_shape, x_joint), to_end);
  const Wire places = wires.transpose(
      wires.broadcast(wires.indices(1, x_shape[along]), index_shape, w.output_type().shape),
      to_end);
  const Wire read{w.add("GatherV2", "GatherV2", {x.name, places.name, w.int_scalar("axis", last)},
                        {{"Tparams", data_type(x.dtype)},
                         {"Tindices", data_type(places.dtype)},
                         {"Taxis", DataType::kInt32},
                         {"batch_dims", last}}),
                  x.dtype};
  wires.give(wires.transpose(read, moved_from_end(axis, rank)));
}

// Several indices, each along an axis: those axes come first, and the indices side by side.
class IndexedPlaces {
 public:
  // The indices are the inputs from `first` on.
  IndexedPlaces(Writer& w, size_t first)
      : wires_(w),
        at_(*static_cast<const IndexAtAttrs*>(w.node().attributes())),
        rank_(w.input_type(0).rank()) {
    Types types;
    for (size_t i = first; i < w.input_count(); ++i) types.push_back(w.input_type(i));
    axes_ = indexed_axes(at_, InferCtx{w.node().op->name}, w.input_type(0).shape, types);
    for (const int64_t axis : at_.axes) order_.push_back(normalized(axis, rank_));
    for (int64_t axis = 0; axis < rank_; ++axis) {
      const size_t named = at_.axes.size();
      if (std::find(order_.begin(), order_.begin() + named, axis) == order_.begin() + named) {
        order_.push_back(axis);
      }
    }
    Names columns;
    for (size_t i = first; i < w.input_count(); ++i) {
      const auto axis = static_cast<size_t>(order_[i - first]);
      const Wire index = wires_.cast(wires_.indices(i, w.input_type(0).shape[axis]), DType::kI64);
      columns.push_back(wires_.broadcast(index, w.input_type(i).shape, axes_.joint).name);
    }
    indices_ = w.add("indices", "Pack", columns,
                     {{"N", static_cast<int64_t>(columns.size())},
                      {"T", DataType::kInt64},
                      {"axis", static_cast<int64_t>(axes_.joint.size())}});
  }

  Wire x() { return wires_.transpose(wires_.input(0), order_); }
  const std::string& indices() const { return indices_; }
  const Shape& shape() const { return axes_.result; }

  // The axes of the indices from the front to where they belong, and back there.
  Wire in_place(const Wire& x) { return wires_.transpose(x, behind()); }
  Wire in_front(const Wire& x) { return wires_.transpose(x, inverse(behind())); }
  // The axes of x in the order it has.
  Wire restored(const Wire& x) { return wires_.transpose(x, inverse(order_)); }

 private:
  Ints behind() const {
    const auto joint = static_cast<int64_t>(axes_.joint.size());
    const auto rest = rank_ - static_cast<int64_t>(at_.axes.size());
    Ints out;
    for (int64_t i = 0; i < at_.at; ++i) out.push_back(joint + i);
    for (int64_t i = 0; i < joint; ++i) out.push_back(i);
    for (int64_t i = at_.at; i < rest; ++i) out.push_back(joint + i);
    return out;
  }
  static Ints inverse(const Ints& order) {
    Ints out(order.size(), 0);
    for (size_t i = 0; i < order.size(); ++i) {
      out[static_cast<size_t>(order[i])] = static_cast<int64_t>(i);
    }
    return out;
  }

  Wires wires_;
  const IndexAtAttrs& at_;
  const int64_t rank_;
  IndexedAxes axes_;
  Ints order_;
  std::string indices_;
};

void index_at(Writer& w, std::string_view) {
  IndexedPlaces places(w, 1);
  const Wire x = places.x();
  const Wire read{w.add("GatherNd", "GatherNd", {x.name, places.indices()},
                        {{"Tparams", data_type(x.dtype)}, {"Tindices", DataType::kInt64}}),
                  x.dtype};
  Wires(w).give(places.in_place(read));
}

void update_at(Writer& w, std::string_view tf) {
  IndexedPlaces places(w, 2);
  Wires wires(w);
  const Wire x = places.x();
  const Wire value =
      places.in_front(wires.broadcast(wires.input(1), w.input_type(1).shape, places.shape()));
  const Wire written{w.add(tf, tf, {x.name, places.indices(), value.name},
                           {{"T", data_type(x.dtype)}, {"Tindices", DataType::kInt64}}),
                     x.dtype};
  wires.give(places.restored(written));
}

void argwhere(Writer& w, std::string_view) { w.give("Where", {w.input(0)}, typed(w)); }

void one_hot(Writer& w, std::string_view) {
  const DType dtype = w.output_type().dtype;
  Wires wires(w);
  const Wire in = wires.input(0);
  const bool has_kernel = in.dtype == DType::kI32 || in.dtype == DType::kI64;
  const Wire places = has_kernel ? in : wires.cast(in, DType::kI64);
  w.give("OneHot",
         {places.name, w.size("depth", w.attribute<Shape>("num_classes")[0]),
          w.number("on_value", dtype, 1), w.number("off_value", dtype, 0)},
         {{"T", data_type(dtype)}, {"TI", data_type(places.dtype)}, {"axis", int64_t{-1}}});
}

constexpr Row kRows[] = {
    {"take", take},
    {"gather", gather},
    {"index_at", index_at},
    {"set_at", update_at, "TensorScatterUpdate"},
    {"add_at", update_at, "TensorScatterAdd"},
    {"min_at", update_at, "TensorScatterMin"},
    {"max_at", update_at, "TensorScatterMax"},
    {"argwhere", argwhere},
    {"one_hot", one_hot},
};

}  // namespace

std::span<const Row> index_rows() { return kRows; }

}  // namespace weft::io
