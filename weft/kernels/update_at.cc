// update_at: updates joined to the elements that indices name, in the order of the updates.
//
// Loops run over what is before and after the indexed axes in parallel and over the positions in
// order: two updates meet in one element only there, so the result is the same whatever the number
// of threads.
//
// Where all indices but one count 0, 1, 2, .. along axes of their own (put_along_axis, and updates
// under vmap), two updates meet only along the remaining axis: that is a scatter along one axis,
// which needs no offsets and has more to do in parallel.
#include <atomic>
#include <optional>

#include "weft/kernels/accumulate.h"
#include "weft/kernels/index_plan.h"
#include "weft/kernels/places.h"
#include "weft/kernels/tasks.h"

namespace weft::kernels {
namespace {

constexpr double kNsPerElement = 1.5;
constexpr int64_t kColumns = 256;  // the least part of a row that a task of its own works on
// As many columns of a scatter are worked on at once: what they reach of 1000 rows fits L2.
constexpr int64_t kScatterColumns = 128;

struct Item16 {
  uint64_t low, high;
};

// A scatter along one axis of a contiguous tensor.
struct Scatter {
  IndexPlan plan;
  bool has_narrow_indices;  // i32
};

// The elements that updates join, in one of two forms.
struct Targets {
  const Places* places = nullptr;
  const Scatter* scatter = nullptr;
  mutable std::atomic<bool> all_inside{true};  // of a scatter: no index is out of range
};

// Rows that lie side by side in both: a loop of vectors.
template <class T, class Function>
void join_row(typename Sum<T>::Type* to, const T* from, int64_t count, Function function) {
  for (int64_t i = 0; i < count; ++i) to[i] = function(to[i], Sum<T>::widen(from[i]));
}

// An element at each position.
template <class T, class Function>
void join_line(const int64_t* offsets, int64_t count, char* base, int64_t scale, const char* from,
               int64_t step, Function function) {
  for (int64_t p = 0; p < count; ++p, from += step) {
    auto& place = *reinterpret_cast<typename Sum<T>::Type*>(base + offsets[p] * scale);
    place = function(place, Sum<T>::widen(*reinterpret_cast<const T*>(from)));
  }
}

// Joins columns [first, last) of everything with outer index o. `scale` turns byte offsets of the
// storage type into those of the type that is joined in.
template <class T, class Function>
void join_columns(const Places& places, char* out, int64_t scale, const ThreeLoops& updates,
                  int64_t o, int64_t first, int64_t last, Function function) {
  using Total = typename Sum<T>::Type;
  const int64_t* const offsets = places.offsets();
  const int64_t step = places.base.inner * scale;
  char* const base = out + o * places.base.outer * scale;
  const char* from = updates.data + o * updates.outer;
  if (places.inner == 1) {
    return join_line<T>(offsets, places.count, base, scale, from, updates.along, function);
  }
  const bool side_by_side = step == sizeof(Total) && updates.inner == sizeof(T);
  for (int64_t p = 0; p < places.count; ++p, from += updates.along) {
    char* const to = base + offsets[p] * scale;
    if (side_by_side) {
      join_row<T>(reinterpret_cast<Total*>(to) + first, reinterpret_cast<const T*>(from) + first,
                  last - first, function);
      continue;
    }
    for (int64_t i = first; i < last; ++i) {
      auto& place = *reinterpret_cast<Total*>(to + i * step);
      place = function(place, Sum<T>::widen(*reinterpret_cast<const T*>(from + i * updates.inner)));
    }
  }
}

template <class T, class Function>
void join_places(const Places& places, char* out, int64_t scale, const ThreeLoops& updates,
                 Function function) {
  const int64_t parts = (places.inner + kColumns - 1) / kColumns;
  const double ns = kNsPerElement * static_cast<double>(places.count * places.inner / parts);
  in_tasks(places.outer * parts, ns, [&](int64_t begin, int64_t end) {
    while (begin < end) {
      const int64_t o = begin / parts, part = begin % parts;
      const int64_t stop = std::min(parts, part + (end - begin));
      const int64_t last = std::min(places.inner, stop * kColumns);
      join_columns<T>(places, out, scale, updates, o, part * kColumns, last, function);
      begin += stop - part;
    }
  });
}

// One line of a scatter along the last axis, with the strides known if `packed`. False if an index
// is out of range.
template <class Index, class T, bool packed, class Function>
bool scatter_line(const IndexPlan& plan, typename Sum<T>::Type* out, const char* indices,
                  const char* updates, int64_t updates_step, Function function) {
  const auto size = static_cast<uint64_t>(plan.axis_size);
  const int64_t index_step = packed ? int64_t{sizeof(Index)} : plan.indices.along;
  const int64_t update_step = packed ? int64_t{sizeof(T)} : updates_step;
  for (int64_t j = 0; j < plan.along; ++j) {
    const uint64_t at =
        wrapped(*reinterpret_cast<const Index*>(indices + j * index_step), plan.axis_size);
    if (at >= size) return false;
    const T update = *reinterpret_cast<const T*>(updates + j * update_step);
    out[at] = function(out[at], Sum<T>::widen(update));
  }
  return true;
}

// One row of a scatter with something behind the axis: the update of column i joins column i of the
// row that its index names.
template <class Index, class T, bool packed, class Function>
bool scatter_row(const IndexPlan& plan, typename Sum<T>::Type* out, const char* indices,
                 const char* updates, int64_t updates_step, int64_t count, Function function) {
  const auto size = static_cast<uint64_t>(plan.axis_size);
  const int64_t index_step = packed ? int64_t{sizeof(Index)} : plan.indices.inner;
  const int64_t update_step = packed ? int64_t{sizeof(T)} : updates_step;
  for (int64_t i = 0; i < count; ++i) {
    const uint64_t at =
        wrapped(*reinterpret_cast<const Index*>(indices + i * index_step), plan.axis_size);
    if (at >= size) return false;
    auto& place = out[static_cast<int64_t>(at) * plan.inner + i];
    const T update = *reinterpret_cast<const T*>(updates + i * update_step);
    place = function(place, Sum<T>::widen(update));
  }
  return true;
}

// Columns [first, last) of everything with outer index o.
template <class Index, class T, class Function>
bool scatter_columns(const IndexPlan& plan, typename Sum<T>::Type* out, const ThreeLoops& updates,
                     int64_t o, int64_t first, int64_t last, Function function) {
  auto* const base = out + o * plan.axis_size * plan.inner;
  const char* const indices = plan.indices.data + o * plan.indices.outer;
  const char* const from = updates.data + o * updates.outer;
  if (plan.inner == 1) {
    const bool packed = plan.indices.along == sizeof(Index) && updates.along == sizeof(T);
    const auto line =
        packed ? scatter_line<Index, T, true, Function> : scatter_line<Index, T, false, Function>;
    return line(plan, base, indices, from, updates.along, function);
  }
  if (plan.indices.inner == 0 && updates.inner == sizeof(T)) {  // one index for a whole row
    for (int64_t j = 0; j < plan.along; ++j) {
      const uint64_t at = wrapped(index_at<Index>(plan.indices, o, j, 0), plan.axis_size);
      if (at >= static_cast<uint64_t>(plan.axis_size)) return false;
      join_row<T>(base + static_cast<int64_t>(at) * plan.inner + first,
                  reinterpret_cast<const T*>(from + j * updates.along) + first, last - first,
                  function);
    }
    return true;
  }
  const bool packed = plan.indices.inner == sizeof(Index) && updates.inner == sizeof(T);
  const auto row =
      packed ? scatter_row<Index, T, true, Function> : scatter_row<Index, T, false, Function>;
  for (int64_t j = 0; j < plan.along; ++j) {
    if (!row(plan, base + first, indices + j * plan.indices.along + first * plan.indices.inner,
             from + j * updates.along + first * updates.inner, updates.inner, last - first,
             function)) {
      return false;
    }
  }
  return true;
}

template <class Index, class T, class Function>
bool scatter_all(const IndexPlan& plan, typename Sum<T>::Type* out, const ThreeLoops& updates,
                 Function function) {
  const int64_t parts = (plan.inner + kScatterColumns - 1) / kScatterColumns;
  const double ns = kNsPerElement * static_cast<double>(plan.along * plan.inner / parts);
  std::atomic<bool> all_inside{true};
  in_tasks(plan.outer * parts, ns, [&](int64_t begin, int64_t end) {
    for (int64_t task = begin; task < end; ++task) {
      const int64_t first = task % parts * kScatterColumns;
      const int64_t last = std::min(plan.inner, first + kScatterColumns);
      if (!scatter_columns<Index, T>(plan, out, updates, task / parts, first, last, function)) {
        all_inside.store(false, std::memory_order_relaxed);
      }
    }
  });
  return all_inside.load();
}

template <class T, class Function>
void join_all(const Targets& targets, char* out, int64_t scale, const ThreeLoops& updates,
              Function function) {
  if (targets.places != nullptr) {
    return join_places<T>(*targets.places, out, scale, updates, function);
  }
  auto* const to = reinterpret_cast<typename Sum<T>::Type*>(out);
  const IndexPlan& plan = targets.scatter->plan;
  targets.all_inside = targets.scatter->has_narrow_indices
                           ? scatter_all<int32_t, T>(plan, to, updates, function)
                           : scatter_all<int64_t, T>(plan, to, updates, function);
}

template <class T, class Function>
void join_typed(const Targets& targets, const Tensor& out, const ThreeLoops& updates,
                Function function) {
  using Total = typename Sum<T>::Type;
  if constexpr (std::is_same_v<T, Total>) {
    join_all<T>(targets, operand_of(out).data, 1, updates, function);
  } else {
    const Scratch scratch(out.numel() * int64_t{sizeof(Total)});
    auto* const totals = reinterpret_cast<Total*>(scratch.data());
    T* const to = static_cast<T*>(out.writable_data());
    for (int64_t i = 0; i < out.numel(); ++i) totals[i] = to[i].to_float();
    join_all<T>(targets, scratch.data(), sizeof(Total) / sizeof(T), updates, function);
    for (int64_t i = 0; i < out.numel(); ++i) to[i] = T::from_float(totals[i]);
  }
}

constexpr auto kAdded = [](auto a, auto b) { return added(a, b); };
constexpr auto kMultiplied = [](auto a, auto b) { return multiplied(a, b); };
constexpr auto kLarger = [](auto a, auto b) { return larger(a, b); };
constexpr auto kSmaller = [](auto a, auto b) { return smaller(a, b); };

// The sign of an integer does not matter to sums and products, which wrap.
template <class Function>
void join_numbers(const Targets& targets, const Tensor& out, const ThreeLoops& updates,
                  Function function) {
  switch (out.dtype()) {
    case DType::kBool: return join_typed<bool>(targets, out, updates, function);
    case DType::kU8:
    case DType::kI8: return join_typed<uint8_t>(targets, out, updates, function);
    case DType::kU16:
    case DType::kI16: return join_typed<uint16_t>(targets, out, updates, function);
    case DType::kU32:
    case DType::kI32: return join_typed<uint32_t>(targets, out, updates, function);
    case DType::kU64:
    case DType::kI64: return join_typed<uint64_t>(targets, out, updates, function);
    case DType::kF16: return join_typed<Half>(targets, out, updates, function);
    case DType::kBF16: return join_typed<BFloat16>(targets, out, updates, function);
    case DType::kF32: return join_typed<float>(targets, out, updates, function);
    case DType::kF64: return join_typed<double>(targets, out, updates, function);
    case DType::kC64: return join_typed<Complex64>(targets, out, updates, function);
    case DType::kC128: return join_typed<Complex128>(targets, out, updates, function);
  }
}

template <class Function>
void join_ordered(const Targets& targets, const Tensor& out, const ThreeLoops& updates,
                  Function function) {
  switch (out.dtype()) {
    case DType::kBool: return join_typed<bool>(targets, out, updates, function);
    case DType::kU8: return join_typed<uint8_t>(targets, out, updates, function);
    case DType::kI8: return join_typed<int8_t>(targets, out, updates, function);
    case DType::kU16: return join_typed<uint16_t>(targets, out, updates, function);
    case DType::kI16: return join_typed<int16_t>(targets, out, updates, function);
    case DType::kU32: return join_typed<uint32_t>(targets, out, updates, function);
    case DType::kI32: return join_typed<int32_t>(targets, out, updates, function);
    case DType::kU64: return join_typed<uint64_t>(targets, out, updates, function);
    case DType::kI64: return join_typed<int64_t>(targets, out, updates, function);
    case DType::kF16: return join_typed<Half>(targets, out, updates, function);
    case DType::kBF16: return join_typed<BFloat16>(targets, out, updates, function);
    case DType::kF32: return join_typed<float>(targets, out, updates, function);
    case DType::kF64: return join_typed<double>(targets, out, updates, function);
    case DType::kC64:
    case DType::kC128: break;
  }
  WEFT_ASSERT(false, "complex numbers have no order");
}

// Moved as bits, whatever they mean.
void set_elements(const Targets& targets, const Tensor& out, const ThreeLoops& updates) {
  constexpr auto kLast = [](auto, auto b) { return b; };
  char* const to = operand_of(out).data;
  switch (size_of(out.dtype())) {
    case 1: return join_all<uint8_t>(targets, to, 1, updates, kLast);
    case 2: return join_all<uint16_t>(targets, to, 1, updates, kLast);
    case 4: return join_all<uint32_t>(targets, to, 1, updates, kLast);
    case 8: return join_all<uint64_t>(targets, to, 1, updates, kLast);
    default: return join_all<Item16>(targets, to, 1, updates, kLast);
  }
}

// Whether the values are 0, 1, .., n - 1 along `axis` of the joint shape of `joint_rank` axes, with
// n the size of the axis that they index.
bool counts_along(const Tensor& index, int64_t axis, int64_t joint_rank, int64_t size) {
  const int64_t own = axis - (joint_rank - index.rank());
  if (own < 0 || index.numel() != size || !(index.dim(own) == Dim(size))) return false;
  const Operand from = operand_of(index);
  for (int64_t i = 0; i < size; ++i) {
    const char* const at = from.data + i * from.strides[own] * from.item;
    const int64_t value = index.dtype() == DType::kI32 ? *reinterpret_cast<const int32_t*>(at)
                                                       : *reinterpret_cast<const int64_t*>(at);
    if (value != i) return false;
  }
  return true;
}

// Which of several indices the scatter is along, if all others count, each along an axis of its own
// in the order of the axes: the axes of the joint shape that are left are those of that index.
std::optional<size_t> scattered_index(const Tensor& out, TensorSpan indices, int64_t first,
                                      int64_t joint_rank) {
  const auto count = static_cast<int64_t>(indices.size());
  if (count < 2 || joint_rank < count - 1) return {};
  const auto counts = [&](int64_t k, int64_t axis) {
    return counts_along(indices[static_cast<size_t>(k)], axis, joint_rank,
                        out.dim(first + k).value());
  };
  int64_t before = 0;
  while (before < count - 1 && counts(before, before)) ++before;
  for (int64_t k = before + 1; k < count; ++k) {
    if (!counts(k, joint_rank - (count - k))) return {};
  }
  return static_cast<size_t>(before);
}

// The index of a scatter repeated along the axes of the updates that it does not have.
Tensor spread_index(const Tensor& index, const Tensor& updates, int64_t last) {
  Ints strides(updates.shape().size(), 0);
  const int64_t before = last - index.rank();
  for (int64_t d = 0; d < index.rank(); ++d) {
    if (!(index.dim(d) == Dim(1))) {
      strides[static_cast<size_t>(before + d)] = index.strides()[static_cast<size_t>(d)];
    }
  }
  return index.view(Shape(updates.shape()), strides);
}

}  // namespace

void update_at(const Tensor& out, const Tensor& updates, TensorSpan indices, int64_t first,
               const Ints& axes, Join join, Blame blame) {
  const auto join_to = [&](const Targets& targets, const ThreeLoops& from) {
    switch (join) {
      case Join::kSet: return set_elements(targets, out, from);
      case Join::kAdd: return join_numbers(targets, out, from, kAdded);
      case Join::kMultiply: return join_numbers(targets, out, from, kMultiplied);
      case Join::kMin: return join_ordered(targets, out, from, kSmaller);
      case Join::kMax: return join_ordered(targets, out, from, kLarger);
    }
  };
  const auto count = static_cast<int64_t>(indices.size());
  const int64_t joint_rank = updates.rank() - (out.rank() - count);
  Packed packed_updates, packed_indices;
  if (const auto along = scattered_index(out, indices, first, joint_rank);
      along && updates.numel() > 0) {
    const Tensor& index = indices[*along];
    const int64_t axis = first + static_cast<int64_t>(*along);
    const int64_t stop = axis + joint_rank - (count - 1);  // of the axes of the index
    const Tensor wide = spread_index(index, updates, first + joint_rank);
    Scatter scatter{.plan = {}, .has_narrow_indices = index.dtype() == DType::kI32};
    const ShapeView shape = updates.shape();
    for (int64_t d = 0; d < axis; ++d) scatter.plan.outer *= shape[d].value();
    for (int64_t d = axis; d < stop; ++d) scatter.plan.along *= shape[d].value();
    for (int64_t d = stop; d < updates.rank(); ++d) scatter.plan.inner *= shape[d].value();
    scatter.plan.axis_size = out.dim(axis).value();
    scatter.plan.indices = three_loops(operand_of(wide), axis, stop, nullptr, packed_indices);
    Targets targets{.scatter = &scatter};
    join_to(targets, three_loops(operand_of(updates), axis, stop, nullptr, packed_updates));
    if (!targets.all_inside) fail_index(index, axes[*along], scatter.plan.axis_size, blame);
    return;
  }
  const Places places(out, indices, first, axes, blame);
  if (places.empty()) return;
  join_to(Targets{.places = &places},
          three_loops(operand_of(updates), first, first + joint_rank, nullptr, packed_updates));
}

}  // namespace weft::kernels
