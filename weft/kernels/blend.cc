// Whole rows are blended where there is something behind the axis, elements of a line otherwise.
//
// Sums are compiled for the width of vectors at hand; each element has its own, so the bits are the
// same.
#include "weft/kernels/blend.h"

#include "weft/base/cpu.h"
#include "weft/base/error.h"
#include "weft/kernels/accumulate.h"
#include "weft/kernels/tasks.h"

namespace weft::kernels {
namespace {

constexpr double kNsPerTap = 0.3;

// One place: `rows` are the elements of its taps, each with all that is behind the axis.
template <class T, int kTaps>
[[gnu::always_inline]] inline void blend_row(T* out, const T* const* rows,
                                             const typename Sum<T>::Type* weights, int64_t n) {
  using Total = typename Sum<T>::Type;
  for (int64_t i = 0; i < n; ++i) {
    Total sum = weights[0] * Sum<T>::widen(rows[0][i]);
    for (int t = 1; t < kTaps; ++t) sum += weights[t] * Sum<T>::widen(rows[t][i]);
    out[i] = Sum<T>::narrow(canonical(sum));
  }
}

// All places of a line, with nothing behind the axis.
template <class T, int kTaps>
[[gnu::always_inline]] inline void blend_line(T* out, const T* line, const int64_t* elements,
                                              const typename Sum<T>::Type* weights,
                                              int64_t places) {
  using Total = typename Sum<T>::Type;
  for (int64_t p = 0; p < places; ++p) {
    Total sum = weights[p] * Sum<T>::widen(line[elements[p]]);
    for (int t = 1; t < kTaps; ++t) {
      const int64_t at = t * places + p;
      sum += weights[at] * Sum<T>::widen(line[elements[at]]);
    }
    out[p] = Sum<T>::narrow(canonical(sum));
  }
}

template <class T>
struct Tier {
  using Total = typename Sum<T>::Type;
  void (*row)(T*, const T* const*, const Total*, int64_t);
  void (*line)(T*, const T*, const int64_t*, const Total*, int64_t);
};

#define WEFT_BLEND_TIER(name, attributes)                                                        \
  template <class T, int kTaps>                                                                  \
  attributes void row_##name(T* out, const T* const* rows, const typename Sum<T>::Type* weights, \
                             int64_t n) {                                                        \
    blend_row<T, kTaps>(out, rows, weights, n);                                                  \
  }                                                                                              \
  template <class T, int kTaps>                                                                  \
  attributes void line_##name(T* out, const T* line, const int64_t* elements,                    \
                              const typename Sum<T>::Type* weights, int64_t places) {            \
    blend_line<T, kTaps>(out, line, elements, weights, places);                                  \
  }                                                                                              \
  template <class T, int kTaps>                                                                  \
  constexpr Tier<T> kTier_##name{row_##name<T, kTaps>, line_##name<T, kTaps>};

WEFT_BLEND_TIER(portable, )
#if defined(__x86_64__)
WEFT_BLEND_TIER(avx2, [[gnu::target("avx2")]])
#endif

template <class T, int kTaps>
const Tier<T>& current_tier() {
#if defined(__x86_64__)
  if (current_isa() != Isa::portable) return kTier_avx2<T, kTaps>;
#endif
  return kTier_portable<T, kTaps>;
}

struct Extents {
  int64_t outer, size, inner;
};

template <class T, int kTaps>
void blend_typed(const Extents& e, T* out, const T* in, const Taps& taps) {
  using Total = typename Sum<T>::Type;
  const Tier<T>& tier = current_tier<T, kTaps>();
  const int64_t places = taps.places;
  if (e.inner > 1) {
    const double ns = kNsPerTap * kTaps * static_cast<double>(e.inner);
    return in_tasks(e.outer * places, ns, [&](int64_t begin, int64_t end) {
      for (int64_t at = begin; at < end; ++at) {
        const int64_t o = at / places, p = at % places;
        const T* rows[kTaps];
        Total weights[kTaps];
        for (int t = 0; t < kTaps; ++t) {
          const auto tap = static_cast<size_t>(t * places + p);
          rows[t] = in + (o * e.size + taps.elements[tap]) * e.inner;
          weights[t] = static_cast<Total>(taps.weights[tap]);
        }
        tier.row(out + at * e.inner, rows, weights, e.inner);
      }
    });
  }
  std::vector<Total> weights;
  for (double weight : taps.weights) weights.push_back(static_cast<Total>(weight));
  const double ns = 2 * kNsPerTap * kTaps * static_cast<double>(places);
  in_tasks(e.outer, ns, [&](int64_t begin, int64_t end) {
    for (int64_t o = begin; o < end; ++o) {
      tier.line(out + o * places, in + o * e.size, taps.elements.data(), weights.data(), places);
    }
  });
}

template <class T>
void blend_all(const Extents& e, const Tensor& out, const Tensor& in, const Taps& taps) {
  T* const to = static_cast<T*>(out.writable_data());
  const T* const from = static_cast<const T*>(in.data());
  switch (taps.count()) {
    case 2: return blend_typed<T, 2>(e, to, from, taps);
    case 4: return blend_typed<T, 4>(e, to, from, taps);
    default: WEFT_ASSERT(false, "blends of ", taps.count(), " elements");
  }
}

}  // namespace

void blend(const Tensor& out, const Tensor& in, int64_t axis, const Taps& taps) {
  if (out.numel() == 0) return;
  Extents e{1, in.dim(axis).value(), 1};
  for (int64_t d = 0; d < axis; ++d) e.outer *= in.dim(d).value();
  for (int64_t d = axis + 1; d < in.rank(); ++d) e.inner *= in.dim(d).value();
  switch (in.dtype()) {
    case DType::kF16: return blend_all<Half>(e, out, in, taps);
    case DType::kBF16: return blend_all<BFloat16>(e, out, in, taps);
    case DType::kF32: return blend_all<float>(e, out, in, taps);
    case DType::kF64: return blend_all<double>(e, out, in, taps);
    default: WEFT_ASSERT(false, "blends of ", in.dtype());
  }
}

}  // namespace weft::kernels
