// Sums over differences of points. Rows are packed into whole vectors with zeros behind them; the
// lanes are the same on every tier, so the bits are too.
#include "weft/kernels/distance.h"

#include <cstring>

#include "weft/base/cpu.h"
#include "weft/base/error.h"
#include "weft/base/sizes.h"
#include "weft/kernels/accumulate.h"
#include "weft/kernels/scratch.h"
#include "weft/kernels/tasks.h"

namespace weft::kernels {
namespace {

constexpr int64_t kLanes = 8;
constexpr int64_t kRows = 4;  // points of b that are worked on at once
constexpr double kNsPerDifference = 0.1;

template <class T>
struct Vectors {
  typedef T Whole __attribute__((vector_size(kLanes * sizeof(T))));
  typedef T Half __attribute__((vector_size(kLanes / 2 * sizeof(T))));
};

// [batch, rows, columns] with zeros behind: rows to a multiple of kRows, columns of kLanes.
template <class T>
class Packed {
 public:
  template <class Storage>
  Packed(const Storage* from, int64_t batch, int64_t rows, int64_t columns)
      : rows_(round_up(rows, kRows)),
        columns_(round_up(columns, kLanes)),
        memory_(std::max<int64_t>(1, batch * rows_ * columns_) * static_cast<int64_t>(sizeof(T))) {
    in_tasks(batch * rows_, 0.5 * static_cast<double>(columns_), [&](int64_t begin, int64_t end) {
      for (int64_t row = begin; row < end; ++row) {
        const int64_t b = row / rows_, i = row % rows_;
        const int64_t used = i < rows ? columns : 0;
        T* const to = data() + row * columns_;
        for (int64_t k = 0; k < used; ++k) {
          to[k] = Sum<Storage>::widen(from[(b * rows + i) * columns + k]);
        }
        for (int64_t k = used; k < columns_; ++k) to[k] = 0;
      }
    });
  }

  T* data() const { return reinterpret_cast<T*>(memory_.data()); }
  const T* row(int64_t batch, int64_t i) const { return data() + (batch * rows_ + i) * columns_; }
  int64_t columns() const { return columns_; }

 private:
  int64_t rows_, columns_;
  Scratch memory_;
};

// The sums of one point with kRows of b: lanes k and k + 4, then k and k + 2, then the last two.
template <class T, bool kSquares>
[[gnu::always_inline]] inline void sum_block(T* out, const T* u, const T* a, const T* b,
                                             int64_t columns) {
  using Whole = typename Vectors<T>::Whole;
  using Half = typename Vectors<T>::Half;
  Whole sum[kRows] = {};
  for (int64_t k = 0; k < columns; k += kLanes) {
    Whole left, mine;
    std::memcpy(&mine, a + k, sizeof(Whole));
    if constexpr (!kSquares) std::memcpy(&left, u + k, sizeof(Whole));
    for (int64_t q = 0; q < kRows; ++q) {
      Whole other;
      std::memcpy(&other, b + q * columns + k, sizeof(Whole));
      const Whole difference = mine - other;
      if constexpr (kSquares) {
        sum[q] += difference * difference;
      } else {
        sum[q] += left * difference;
      }
    }
  }
  Half half[kRows];
  for (int64_t q = 0; q < kRows; ++q) {
    half[q] = __builtin_shufflevector(sum[q], sum[q], 0, 1, 2, 3) +
              __builtin_shufflevector(sum[q], sum[q], 4, 5, 6, 7);
  }
  const Half low = __builtin_shufflevector(half[0], half[1], 0, 4, 1, 5) +
                   __builtin_shufflevector(half[0], half[1], 2, 6, 3, 7);
  const Half high = __builtin_shufflevector(half[2], half[3], 0, 4, 1, 5) +
                    __builtin_shufflevector(half[2], half[3], 2, 6, 3, 7);
  const Half all = __builtin_shufflevector(low, high, 0, 1, 4, 5) +
                   __builtin_shufflevector(low, high, 2, 3, 6, 7);
  std::memcpy(out, &all, sizeof(Half));
}

// One point with all of b; `out` has room for whole blocks.
template <class T, bool kSquares>
[[gnu::always_inline]] inline void sum_row(T* out, const T* u, const T* a, const T* b, int64_t m,
                                           int64_t columns) {
  for (int64_t j = 0; j < m; j += kRows) {
    sum_block<T, kSquares>(out + j, u, a, b + j * columns, columns);
  }
}

// All coordinates of one point, a vector at a time.
template <class T>
[[gnu::always_inline]] inline void weigh_row(T* out, const T* w, const T* a, const T* b, int64_t m,
                                             int64_t columns) {
  using Whole = typename Vectors<T>::Whole;
  for (int64_t k = 0; k < columns; k += kLanes) {
    Whole sum = {}, mine;
    std::memcpy(&mine, a + k, sizeof(Whole));
    for (int64_t j = 0; j < m; ++j) {
      if (w[j] == 0) continue;
      Whole other;
      std::memcpy(&other, b + j * columns + k, sizeof(Whole));
      sum += w[j] * (mine - other);
    }
    std::memcpy(out + k, &sum, sizeof(Whole));
  }
}

template <class T>
struct Tier {
  void (*squares)(T*, const T*, const T*, const T*, int64_t, int64_t);
  void (*sums)(T*, const T*, const T*, const T*, int64_t, int64_t);
  void (*weighed)(T*, const T*, const T*, const T*, int64_t, int64_t);
};

#define WEFT_DISTANCE_TIER(name, attributes)                                              \
  template <class T, bool kSquares>                                                       \
  attributes void sum_row_##name(T* out, const T* u, const T* a, const T* b, int64_t m,   \
                                 int64_t columns) {                                       \
    sum_row<T, kSquares>(out, u, a, b, m, columns);                                       \
  }                                                                                       \
  template <class T>                                                                      \
  attributes void weigh_row_##name(T* out, const T* w, const T* a, const T* b, int64_t m, \
                                   int64_t columns) {                                     \
    weigh_row<T>(out, w, a, b, m, columns);                                               \
  }                                                                                       \
  template <class T>                                                                      \
  constexpr Tier<T> kTier_##name{sum_row_##name<T, true>, sum_row_##name<T, false>,       \
                                 weigh_row_##name<T>};

WEFT_DISTANCE_TIER(portable, )
#if defined(__x86_64__)
WEFT_DISTANCE_TIER(avx2, [[gnu::target("avx2")]])
#endif

template <class T>
const Tier<T>& current_tier() {
#if defined(__x86_64__)
  if (current_isa() != Isa::portable) return kTier_avx2<T>;
#endif
  return kTier_portable<T>;
}

struct Extents {
  int64_t batch, n, m, coordinates;
};

// Calls row(result, batch, i) for each point of a, in tasks, and stores `count` numbers of it.
template <class T, class Storage, class Row>
void for_points(const Extents& e, Storage* out, int64_t count, const Row& row) {
  const double ns = kNsPerDifference * static_cast<double>((e.m + 1) * (e.coordinates + 1));
  in_tasks(e.batch * e.n, ns, [&](int64_t begin, int64_t end) {
    const Scratch scratch((count + kLanes) * static_cast<int64_t>(sizeof(T)));
    T* const result = reinterpret_cast<T*>(scratch.data());
    for (int64_t at = begin; at < end; ++at) {
      row(result, at / e.n, at % e.n);
      for (int64_t i = 0; i < count; ++i) {
        out[at * count + i] = Sum<Storage>::narrow(canonical(result[i]));
      }
    }
  });
}

template <class Storage>
void sum_typed(const Extents& e, Storage* out, const Storage* u, const Storage* a,
               const Storage* b) {
  using T = typename Sum<Storage>::Type;
  const Tier<T>& tier = current_tier<T>();
  const Packed<T> mine(a, e.batch, e.n, e.coordinates), other(b, e.batch, e.m, e.coordinates);
  const Packed<T> left(u != nullptr ? u : a, e.batch, u != nullptr ? e.n : 0, e.coordinates);
  for_points<T>(e, out, e.m, [&](T* result, int64_t batch, int64_t i) {
    const auto sum = u != nullptr ? tier.sums : tier.squares;
    sum(result, u != nullptr ? left.row(batch, i) : nullptr, mine.row(batch, i),
        other.row(batch, 0), e.m, mine.columns());
  });
}

template <class Storage>
void weigh_typed(const Extents& e, Storage* out, const Storage* w, const Storage* a,
                 const Storage* b) {
  using T = typename Sum<Storage>::Type;
  const Tier<T>& tier = current_tier<T>();
  const Packed<T> mine(a, e.batch, e.n, e.coordinates), other(b, e.batch, e.m, e.coordinates);
  const Packed<T> weights(w, e.batch, e.n, e.m);
  for_points<T>(e, out, e.coordinates, [&](T* result, int64_t batch, int64_t i) {
    tier.weighed(result, weights.row(batch, i), mine.row(batch, i), other.row(batch, 0), e.m,
                 mine.columns());
  });
}

Extents extents_of(const Tensor& a, const Tensor& b) {
  return {a.dim(0).value(), a.dim(1).value(), b.dim(1).value(), a.dim(2).value()};
}

// Calls body with a null pointer to what tensors of the dtype hold.
template <class Body>
void with_types(DType dtype, const Body& body) {
  switch (dtype) {
    case DType::kF16: return body(static_cast<Half*>(nullptr));
    case DType::kBF16: return body(static_cast<BFloat16*>(nullptr));
    case DType::kF32: return body(static_cast<float*>(nullptr));
    case DType::kF64: return body(static_cast<double*>(nullptr));
    default: WEFT_ASSERT(false, "distances of ", dtype);
  }
}

}  // namespace

void sum_differences(const Tensor& out, const Tensor& u, const Tensor& a, const Tensor& b) {
  with_types(a.dtype(), [&]<class Storage>(Storage*) {
    const auto* const left = u.defined() ? static_cast<const Storage*>(u.data()) : nullptr;
    sum_typed(extents_of(a, b), static_cast<Storage*>(out.writable_data()), left,
              static_cast<const Storage*>(a.data()), static_cast<const Storage*>(b.data()));
  });
}

void weigh_differences(const Tensor& out, const Tensor& w, const Tensor& a, const Tensor& b) {
  with_types(a.dtype(), [&]<class Storage>(Storage*) {
    weigh_typed(extents_of(a, b), static_cast<Storage*>(out.writable_data()),
                static_cast<const Storage*>(w.data()), static_cast<const Storage*>(a.data()),
                static_cast<const Storage*>(b.data()));
  });
}

}  // namespace weft::kernels
