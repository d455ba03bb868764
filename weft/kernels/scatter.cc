// take_add and scatter_add: adding at indices, in the order of the updates.
//
// Loops run over what is before and after the axis in parallel and along the axis in order: two
// updates meet in one element only along the axis, so the order of the sum is the order of the
// updates whatever the number of threads.
#include <atomic>

#include "weft/kernels/accumulate.h"
#include "weft/kernels/index.h"
#include "weft/kernels/index_plan.h"
#include "weft/kernels/tasks.h"

namespace weft::kernels {
namespace {

constexpr double kNsPerElement = 1.5;
constexpr int64_t kColumns = 256;  // the least part of a row that a task of its own works on
constexpr int64_t kAhead = 4;      // rows between the one that is asked for and the one added to

// A single column: one loop along the axis, with the strides known if `packed`.
template <class Index, class T, bool packed>
bool add_line(const IndexPlan& plan, typename Sum<T>::Type* out, const char* indices,
              const char* updates, int64_t updates_step) {
  const auto size = static_cast<uint64_t>(plan.axis_size);
  const int64_t index_step = packed ? int64_t{sizeof(Index)} : plan.indices.along;
  const int64_t update_step = packed ? int64_t{sizeof(T)} : updates_step;
  for (int64_t j = 0; j < plan.along; ++j) {
    const int64_t index = *reinterpret_cast<const Index*>(indices + j * index_step);
    const uint64_t at = wrapped(index, plan.axis_size);
    if (at >= size) return false;
    const T update = *reinterpret_cast<const T*>(updates + j * update_step);
    out[at] = added(out[at], Sum<T>::widen(update));
  }
  return true;
}

// One index for whole rows, which lie as they come: columns [first, last) of them.
template <class Index, class T>
bool add_rows(const IndexPlan& plan, typename Sum<T>::Type* base, const char* indices,
              const char* updates, int64_t updates_step, int64_t first, int64_t last) {
  using Total = typename Sum<T>::Type;
  const auto size = static_cast<uint64_t>(plan.axis_size);
  const auto place_of = [&](int64_t j) {
    return wrapped(*reinterpret_cast<const Index*>(indices + j * plan.indices.along),
                   plan.axis_size);
  };
  for (int64_t j = 0; j < plan.along; ++j) {
    const uint64_t at = place_of(j);
    if (at >= size) return false;
    if (const uint64_t next = j + kAhead < plan.along ? place_of(j + kAhead) : size; next < size) {
      const auto* row =
          reinterpret_cast<const char*>(base + static_cast<int64_t>(next) * plan.inner);
      ask_for(row + first * int64_t{sizeof(Total)}, (last - first) * int64_t{sizeof(Total)});
    }
    Total* const to = base + static_cast<int64_t>(at) * plan.inner;
    const T* const from = reinterpret_cast<const T*>(updates + j * updates_step);
    for (int64_t i = first; i < last; ++i) to[i] = added(to[i], Sum<T>::widen(from[i]));
  }
  return true;
}

// Adds columns [first, last) of everything with outer index o.
template <class Index, class T>
bool add_columns(const IndexPlan& plan, typename Sum<T>::Type* out, const ThreeLoops& updates,
                 int64_t o, int64_t first, int64_t last) {
  auto* const base = out + o * plan.axis_size * plan.inner;
  if (plan.inner == 1) {
    const char* const indices = plan.indices.data + o * plan.indices.outer;
    const char* const from = updates.data + o * updates.outer;
    const bool packed = plan.indices.along == sizeof(Index) && updates.along == sizeof(T);
    return packed ? add_line<Index, T, true>(plan, base, indices, from, updates.along)
                  : add_line<Index, T, false>(plan, base, indices, from, updates.along);
  }
  if (plan.indices.inner == 0 && updates.inner == sizeof(T)) {
    return add_rows<Index, T>(plan, base, plan.indices.data + o * plan.indices.outer,
                              updates.data + o * updates.outer, updates.along, first, last);
  }
  for (int64_t j = 0; j < plan.along; ++j) {
    const char* const from = updates.data + o * updates.outer + j * updates.along;
    for (int64_t i = first; i < last; ++i) {
      const uint64_t at = wrapped(index_at<Index>(plan.indices, o, j, i), plan.axis_size);
      if (at >= static_cast<uint64_t>(plan.axis_size)) return false;
      auto& place = base[static_cast<int64_t>(at) * plan.inner + i];
      const T update = *reinterpret_cast<const T*>(from + i * updates.inner);
      place = added(place, Sum<T>::widen(update));
    }
  }
  return true;
}

template <class Index, class T>
bool add_all(const IndexPlan& plan, typename Sum<T>::Type* out, const ThreeLoops& updates) {
  const int64_t parts = (plan.inner + kColumns - 1) / kColumns;
  const double ns = kNsPerElement * static_cast<double>(plan.along * plan.inner / parts);
  std::atomic<bool> good{true};
  in_tasks(plan.outer * parts, ns, [&](int64_t begin, int64_t end) {
    while (begin < end) {
      const int64_t o = begin / parts, part = begin % parts;
      const int64_t stop = std::min(parts, part + (end - begin));
      const int64_t last = std::min(plan.inner, stop * kColumns);
      if (!add_columns<Index, T>(plan, out, updates, o, part * kColumns, last)) {
        good.store(false, std::memory_order_relaxed);
      }
      begin += stop - part;
    }
  });
  return good.load();
}

template <class T>
bool add_typed(const IndexPlan& plan, void* out, const ThreeLoops& updates, bool narrow) {
  using Total = typename Sum<T>::Type;
  const auto run = [&](Total* totals) {
    return narrow ? add_all<int32_t, T>(plan, totals, updates)
                  : add_all<int64_t, T>(plan, totals, updates);
  };
  if constexpr (std::is_same_v<T, Total>) {
    return run(static_cast<T*>(out));
  } else {
    const int64_t count = plan.outer * plan.axis_size * plan.inner;
    const Scratch scratch(count * static_cast<int64_t>(sizeof(Total)));
    auto* const totals = reinterpret_cast<Total*>(scratch.data());
    T* const to = static_cast<T*>(out);
    for (int64_t i = 0; i < count; ++i) totals[i] = to[i].to_float();
    const bool good = run(totals);
    for (int64_t i = 0; i < count; ++i) to[i] = T::from_float(totals[i]);
    return good;
  }
}

bool add_by_dtype(const IndexPlan& plan, const Tensor& out, const ThreeLoops& updates,
                  bool narrow) {
  void* const to = operand_of(out).data;
  switch (out.dtype()) {
    case DType::kBool: return add_typed<bool>(plan, to, updates, narrow);
    case DType::kU8:
    case DType::kI8: return add_typed<uint8_t>(plan, to, updates, narrow);
    case DType::kU16:
    case DType::kI16: return add_typed<uint16_t>(plan, to, updates, narrow);
    case DType::kU32:
    case DType::kI32: return add_typed<uint32_t>(plan, to, updates, narrow);
    case DType::kU64:
    case DType::kI64: return add_typed<uint64_t>(plan, to, updates, narrow);
    case DType::kF16: return add_typed<Half>(plan, to, updates, narrow);
    case DType::kBF16: return add_typed<BFloat16>(plan, to, updates, narrow);
    case DType::kF32: return add_typed<float>(plan, to, updates, narrow);
    case DType::kF64: return add_typed<double>(plan, to, updates, narrow);
    case DType::kC64: return add_typed<Complex64>(plan, to, updates, narrow);
    case DType::kC128: return add_typed<Complex128>(plan, to, updates, narrow);
  }
  return false;
}

void add(const IndexPlan& plan, const Tensor& out, const ThreeLoops& updates, const Tensor& indices,
         int64_t axis, Blame blame) {
  if (plan.numel() == 0) return;
  if (!add_by_dtype(plan, out, updates, indices.dtype() == DType::kI32)) {
    fail_index(indices, axis, plan.axis_size, blame);
  }
}

}  // namespace

void take_add(const Tensor& out, const Tensor& indices, const Tensor& updates, int64_t axis,
              Blame blame) {
  Packed packed_indices, packed_updates;
  const IndexPlan plan = plan_take(indices, out.shape(), axis, packed_indices);
  const ThreeLoops from =
      three_loops(operand_of(updates), axis, axis + indices.rank(), nullptr, packed_updates);
  add(plan, out, from, indices, axis, blame);
}

void scatter_add(const Tensor& out, const Tensor& indices, const Tensor& updates, int64_t axis,
                 Blame blame) {
  Packed packed_indices, packed_updates;
  const IndexPlan plan = plan_gather(indices, out.dim(axis).value(), axis, packed_indices);
  const ThreeLoops from = three_loops(operand_of(updates), axis, axis + 1, nullptr, packed_updates);
  add(plan, out, from, indices, axis, blame);
}

}  // namespace weft::kernels
