// chain_at: a linear recurrence along the updates that meet in one element: what it held before
// each of them, and what it holds in the end. The derivatives of multiply_at are made of it.
//
// In parallel over what is before and after the indexed axes, in order over the positions, as
// update_at.
#include "weft/kernels/accumulate.h"
#include "weft/kernels/places.h"
#include "weft/kernels/tasks.h"

namespace weft::kernels {
namespace {

constexpr double kNsPerElement = 2.0;

// a * state; a state of 0 stays 0, however large `a` is: where no cotangent comes in, none goes on.
template <class T>
T grown(T a, T state) {
  if constexpr (is_complex_type<T>) {
    return state.re == 0 && state.im == 0 ? T{} : multiplied(a, state);
  } else {
    return state == 0 ? T(0) : multiplied(a, state);
  }
}

// All with one outer index; the state of half floats is a float for each element.
template <class T>
void chain_row(const Places& places, char* state, int64_t scale, T* before, const ThreeLoops& a,
               const ThreeLoops& b, int64_t o) {
  using Total = typename Sum<T>::Type;
  const auto read = [&](const ThreeLoops& from, int64_t p, int64_t i) {
    return Sum<T>::widen(
        *reinterpret_cast<const T*>(from.data + o * from.outer + p * from.along + i * from.inner));
  };
  for (int64_t p = 0; p < places.count; ++p) {
    char* const to = state + (o * places.base.outer + places.offsets()[p]) * scale;
    T* const held = before + (o * places.count + p) * places.inner;
    for (int64_t i = 0; i < places.inner; ++i) {
      auto& place = *reinterpret_cast<Total*>(to + i * places.base.inner * scale);
      if constexpr (std::is_same_v<T, Total>) {
        held[i] = place;
      } else {
        held[i] = T::from_float(place);
      }
      place = added(grown(read(a, p, i), place), read(b, p, i));
    }
  }
}

template <class T>
void chain(const Places& places, const Tensor& out, const Tensor& before, const ThreeLoops& a,
           const ThreeLoops& b) {
  using Total = typename Sum<T>::Type;
  T* const held = static_cast<T*>(before.writable_data());
  const auto run = [&](char* state, int64_t scale) {
    const double ns = kNsPerElement * static_cast<double>(places.count * places.inner);
    in_tasks(places.outer, ns, [&](int64_t begin, int64_t end) {
      for (int64_t o = begin; o < end; ++o) chain_row<T>(places, state, scale, held, a, b, o);
    });
  };
  if constexpr (std::is_same_v<T, Total>) {
    run(operand_of(out).data, 1);
  } else {
    const Scratch scratch(out.numel() * int64_t{sizeof(Total)});
    auto* const totals = reinterpret_cast<Total*>(scratch.data());
    T* const to = static_cast<T*>(out.writable_data());
    for (int64_t i = 0; i < out.numel(); ++i) totals[i] = to[i].to_float();
    run(scratch.data(), sizeof(Total) / sizeof(T));
    for (int64_t i = 0; i < out.numel(); ++i) to[i] = T::from_float(totals[i]);
  }
}

}  // namespace

void chain_at(const Tensor& out, const Tensor& before, const Tensor& a, const Tensor& b,
              TensorSpan indices, int64_t first, const Ints& axes, Blame blame) {
  const Places places(out, indices, first, axes, blame);
  if (places.empty()) return;
  const int64_t last = first + a.rank() - (out.rank() - static_cast<int64_t>(indices.size()));
  Packed packed_a, packed_b;
  const ThreeLoops factors = three_loops(operand_of(a), first, last, nullptr, packed_a);
  const ThreeLoops terms = three_loops(operand_of(b), first, last, nullptr, packed_b);
  switch (out.dtype()) {
    case DType::kF16: return chain<Half>(places, out, before, factors, terms);
    case DType::kBF16: return chain<BFloat16>(places, out, before, factors, terms);
    case DType::kF32: return chain<float>(places, out, before, factors, terms);
    case DType::kF64: return chain<double>(places, out, before, factors, terms);
    case DType::kC64: return chain<Complex64>(places, out, before, factors, terms);
    case DType::kC128: return chain<Complex128>(places, out, before, factors, terms);
    default: WEFT_ASSERT(false, "chain_at of integers");
  }
}

}  // namespace weft::kernels
