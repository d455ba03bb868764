// update_at: updates joined to the elements that indices name, in the order of the updates.
//
// Loops run over what is before and after the indexed axes in parallel and over the positions in
// order: two updates meet in one element only there, so the result is the same whatever the number
// of threads.
#include "weft/kernels/accumulate.h"
#include "weft/kernels/places.h"
#include "weft/kernels/tasks.h"

namespace weft::kernels {
namespace {

constexpr double kNsPerElement = 1.5;
constexpr int64_t kColumns = 256;  // the least part of a row that a task of its own works on

struct Item16 {
  uint64_t low, high;
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
void join_all(const Places& places, char* out, int64_t scale, const ThreeLoops& updates,
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

template <class T, class Function>
void join_typed(const Places& places, const Tensor& out, const ThreeLoops& updates,
                Function function) {
  using Total = typename Sum<T>::Type;
  if constexpr (std::is_same_v<T, Total>) {
    join_all<T>(places, operand_of(out).data, 1, updates, function);
  } else {
    const Scratch scratch(out.numel() * int64_t{sizeof(Total)});
    auto* const totals = reinterpret_cast<Total*>(scratch.data());
    T* const to = static_cast<T*>(out.writable_data());
    for (int64_t i = 0; i < out.numel(); ++i) totals[i] = to[i].to_float();
    join_all<T>(places, scratch.data(), sizeof(Total) / sizeof(T), updates, function);
    for (int64_t i = 0; i < out.numel(); ++i) to[i] = T::from_float(totals[i]);
  }
}

constexpr auto kAdded = [](auto a, auto b) { return added(a, b); };
constexpr auto kMultiplied = [](auto a, auto b) { return multiplied(a, b); };
constexpr auto kLarger = [](auto a, auto b) { return larger(a, b); };
constexpr auto kSmaller = [](auto a, auto b) { return smaller(a, b); };

// The sign of an integer does not matter to sums and products, which wrap.
template <class Function>
void join_numbers(const Places& places, const Tensor& out, const ThreeLoops& updates,
                  Function function) {
  switch (out.dtype()) {
    case DType::kBool: return join_typed<bool>(places, out, updates, function);
    case DType::kU8:
    case DType::kI8: return join_typed<uint8_t>(places, out, updates, function);
    case DType::kU16:
    case DType::kI16: return join_typed<uint16_t>(places, out, updates, function);
    case DType::kU32:
    case DType::kI32: return join_typed<uint32_t>(places, out, updates, function);
    case DType::kU64:
    case DType::kI64: return join_typed<uint64_t>(places, out, updates, function);
    case DType::kF16: return join_typed<Half>(places, out, updates, function);
    case DType::kBF16: return join_typed<BFloat16>(places, out, updates, function);
    case DType::kF32: return join_typed<float>(places, out, updates, function);
    case DType::kF64: return join_typed<double>(places, out, updates, function);
    case DType::kC64: return join_typed<Complex64>(places, out, updates, function);
    case DType::kC128: return join_typed<Complex128>(places, out, updates, function);
  }
}

template <class Function>
void join_ordered(const Places& places, const Tensor& out, const ThreeLoops& updates,
                  Function function) {
  switch (out.dtype()) {
    case DType::kBool: return join_typed<bool>(places, out, updates, function);
    case DType::kU8: return join_typed<uint8_t>(places, out, updates, function);
    case DType::kI8: return join_typed<int8_t>(places, out, updates, function);
    case DType::kU16: return join_typed<uint16_t>(places, out, updates, function);
    case DType::kI16: return join_typed<int16_t>(places, out, updates, function);
    case DType::kU32: return join_typed<uint32_t>(places, out, updates, function);
    case DType::kI32: return join_typed<int32_t>(places, out, updates, function);
    case DType::kU64: return join_typed<uint64_t>(places, out, updates, function);
    case DType::kI64: return join_typed<int64_t>(places, out, updates, function);
    case DType::kF16: return join_typed<Half>(places, out, updates, function);
    case DType::kBF16: return join_typed<BFloat16>(places, out, updates, function);
    case DType::kF32: return join_typed<float>(places, out, updates, function);
    case DType::kF64: return join_typed<double>(places, out, updates, function);
    case DType::kC64:
    case DType::kC128: break;
  }
  WEFT_ASSERT(false, "complex numbers have no order");
}

// Moved as bits, whatever they mean.
void set_elements(const Places& places, const Tensor& out, const ThreeLoops& updates) {
  constexpr auto kLast = [](auto, auto b) { return b; };
  char* const to = operand_of(out).data;
  switch (size_of(out.dtype())) {
    case 1: return join_all<uint8_t>(places, to, 1, updates, kLast);
    case 2: return join_all<uint16_t>(places, to, 1, updates, kLast);
    case 4: return join_all<uint32_t>(places, to, 1, updates, kLast);
    case 8: return join_all<uint64_t>(places, to, 1, updates, kLast);
    default: return join_all<Item16>(places, to, 1, updates, kLast);
  }
}

}  // namespace

void update_at(const Tensor& out, const Tensor& updates, TensorSpan indices, int64_t first,
               const Ints& axes, Join join, Blame blame) {
  const Places places(out, indices, first, axes, blame);
  if (places.empty()) return;
  const int64_t taken = updates.rank() - (out.rank() - static_cast<int64_t>(indices.size()));
  Packed packed;
  const ThreeLoops from = three_loops(operand_of(updates), first, first + taken, nullptr, packed);
  switch (join) {
    case Join::kSet: return set_elements(places, out, from);
    case Join::kAdd: return join_numbers(places, out, from, kAdded);
    case Join::kMultiply: return join_numbers(places, out, from, kMultiplied);
    case Join::kMin: return join_ordered(places, out, from, kSmaller);
    case Join::kMax: return join_ordered(places, out, from, kLarger);
  }
}

}  // namespace weft::kernels
