// Sums over differences of points. Rows are packed into whole vectors with zeros behind them; the
// lanes are the same on every tier, so the bits are too.
#include "weft/kernels/distance.h"

#include <algorithm>
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
constexpr int64_t kRows = 8;    // points of b that are worked on at once
constexpr int64_t kPoints = 4;  // points of a
constexpr double kNsPerDifference = 0.1;

template <class T>
struct Vectors {
  typedef T Whole __attribute__((vector_size(kLanes * sizeof(T))));
  typedef T Half __attribute__((vector_size(kLanes / 2 * sizeof(T))));
};

// [batch, rows, columns] with zeros behind: rows to a multiple of kRows, columns of kLanes. In
// pairs, kLanes of one row stand beside those of the next: a vector of 16 floats has both.
template <class T>
class Packed {
 public:
  template <class Storage>
  Packed(const Storage* from, int64_t batch, int64_t rows, int64_t columns, bool pairs = false)
      : rows_(round_up(rows, kRows)),
        columns_(round_up(columns, kLanes)),
        memory_(std::max<int64_t>(1, batch * rows_ * columns_) * static_cast<int64_t>(sizeof(T))) {
    in_tasks(batch * rows_, 0.5 * static_cast<double>(columns_), [&](int64_t begin, int64_t end) {
      for (int64_t row = begin; row < end; ++row) {
        const int64_t b = row / rows_, i = row % rows_;
        const int64_t used = i < rows ? columns : 0;
        T* const to = data() + (pairs ? row / 2 * 2 * columns_ + row % 2 * kLanes : row * columns_);
        const int64_t gap = pairs ? kLanes : 0;  // behind each kLanes
        for (int64_t k = 0; k < columns_; ++k) {
          to[k + k / kLanes * gap] =
              k < used ? Sum<Storage>::widen(from[(b * rows + i) * columns + k]) : T(0);
        }
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

constexpr int64_t kBlock = 4;  // of these rows by vectors of kLanes

// The sums of one point with kBlock of b: lanes k and k + 4, then k and k + 2, then the last two.
template <class T, bool kSquares>
[[gnu::always_inline]] inline void sum_block(T* out, const T* u, const T* a, const T* b,
                                             int64_t columns) {
  using Whole = typename Vectors<T>::Whole;
  using Half = typename Vectors<T>::Half;
  Whole sum[kBlock] = {};
  for (int64_t k = 0; k < columns; k += kLanes) {
    Whole left, mine;
    std::memcpy(&mine, a + k, sizeof(Whole));
    if constexpr (!kSquares) std::memcpy(&left, u + k, sizeof(Whole));
    for (int64_t q = 0; q < kBlock; ++q) {
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
  Half half[kBlock];
  for (int64_t q = 0; q < kBlock; ++q) {
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

// Points [0, count) of a, at most kPoints, with all of b; rows of `out` have room for whole blocks.
template <class T, bool kSquares>
[[gnu::always_inline]] inline void sum_rows(T* out, int64_t pitch, const T* u, const T* a,
                                            const T* b, int64_t count, int64_t m, int64_t columns) {
  for (int64_t i = 0; i < count; ++i) {
    for (int64_t j = 0; j < m; j += kBlock) {
      sum_block<T, kSquares>(out + i * pitch + j, u + i * columns, a + i * columns, b + j * columns,
                             columns);
    }
  }
}

#if defined(__x86_64__)
typedef float Pair __attribute__((vector_size(2 * kLanes * sizeof(float))));

// The sums of four pairs, in the order of sum_block: two halves of a row are two lanes of 128 bits.
[[gnu::always_inline]] inline void store_sums(float* out, const Pair* sum) {
  Pair half[2];
  for (int h = 0; h < 2; ++h) {
    const Pair a = sum[2 * h], b = sum[2 * h + 1];
    half[h] =
        __builtin_shufflevector(a, b, 0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27) +
        __builtin_shufflevector(a, b, 4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, 31);
  }
  const Pair last = __builtin_shufflevector(half[0], half[1], 0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24,
                                            25, 12, 13, 28, 29) +
                    __builtin_shufflevector(half[0], half[1], 2, 3, 18, 19, 6, 7, 22, 23, 10, 11,
                                            26, 27, 14, 15, 30, 31);
  // Rows 0 4 1 5 2 6 3 7, two elements each.
  const auto even = __builtin_shufflevector(last, last, 0, 4, 8, 12, 2, 6, 10, 14);
  const auto odd = __builtin_shufflevector(last, last, 1, 5, 9, 13, 3, 7, 11, 15);
  const auto all = even + odd;
  std::memcpy(out, &all, sizeof(all));
}

// kCount points with kRows of b in pairs.
template <bool kSquares, int kCount>
[[gnu::always_inline]] inline void sum_pairs(float* out, int64_t pitch, const float* u,
                                             const float* a, const float* b, int64_t columns) {
  constexpr int kPairs = kRows / 2;
  Pair sum[kCount][kPairs] = {};
  using Whole = typename Vectors<float>::Whole;
  // The same kLanes for both rows of a pair.
  const auto load_twice = [](Pair& to, const float* from) {
    Whole one;
    std::memcpy(&one, from, sizeof(one));
    to = __builtin_shufflevector(one, one, 0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 2, 3, 4, 5, 6, 7);
  };
  for (int64_t k = 0; k < columns; k += kLanes) {
    Pair other[kPairs];
    for (int q = 0; q < kPairs; ++q) {
      std::memcpy(&other[q], b + 2 * q * columns + 2 * k, sizeof(Pair));
    }
    for (int i = 0; i < kCount; ++i) {
      Pair mine, left;
      load_twice(mine, a + i * columns + k);
      load_twice(left, kSquares ? a + i * columns + k : u + i * columns + k);
      for (int q = 0; q < kPairs; ++q) {
        const Pair difference = mine - other[q];
        sum[i][q] += (kSquares ? difference : left) * difference;
      }
    }
  }
  for (int i = 0; i < kCount; ++i) store_sums(out + i * pitch, sum[i]);
}

template <bool kSquares>
[[gnu::target("avx512f,avx512vl,avx512dq")]] void sum_rows_in_pairs(float* out, int64_t pitch,
                                                                    const float* u, const float* a,
                                                                    const float* b, int64_t count,
                                                                    int64_t m, int64_t columns) {
  for (int64_t j = 0; j < m; j += kRows) {
    if (count == kPoints) {
      sum_pairs<kSquares, kPoints>(out + j, pitch, u, a, b + j * columns, columns);
    } else {
      for (int64_t i = 0; i < count; ++i) {
        sum_pairs<kSquares, 1>(out + i * pitch + j, pitch, u + i * columns, a + i * columns,
                               b + j * columns, columns);
      }
    }
  }
}
#endif

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
  using Sums = void (*)(T*, int64_t, const T*, const T*, const T*, int64_t, int64_t, int64_t);
  Sums squares, sums;
  void (*weighed)(T*, const T*, const T*, const T*, int64_t, int64_t);
  bool pairs = false;  // b is packed in pairs for the sums
};

#define WEFT_DISTANCE_TIER(name, attributes)                                                 \
  template <class T, bool kSquares>                                                          \
  attributes void sum_rows_##name(T* out, int64_t pitch, const T* u, const T* a, const T* b, \
                                  int64_t count, int64_t m, int64_t columns) {               \
    sum_rows<T, kSquares>(out, pitch, u, a, b, count, m, columns);                           \
  }                                                                                          \
  template <class T>                                                                         \
  attributes void weigh_row_##name(T* out, const T* w, const T* a, const T* b, int64_t m,    \
                                   int64_t columns) {                                        \
    weigh_row<T>(out, w, a, b, m, columns);                                                  \
  }                                                                                          \
  template <class T>                                                                         \
  constexpr Tier<T> kTier_##name{sum_rows_##name<T, true>, sum_rows_##name<T, false>,        \
                                 weigh_row_##name<T>, false};

WEFT_DISTANCE_TIER(portable, )
#if defined(__x86_64__)
WEFT_DISTANCE_TIER(avx2, [[gnu::target("avx2")]])
WEFT_DISTANCE_TIER(avx512, [[gnu::target("avx512f,avx512vl,avx512dq")]])
template <>
constexpr Tier<float> kTier_avx512<float>{sum_rows_in_pairs<true>, sum_rows_in_pairs<false>,
                                          weigh_row_avx512<float>, true};
#endif

template <class T>
const Tier<T>& current_tier() {
#if defined(__x86_64__)
  if (current_isa() == Isa::avx512) return kTier_avx512<T>;
  if (current_isa() == Isa::avx2) return kTier_avx2<T>;
#endif
  return kTier_portable<T>;
}

struct Extents {
  int64_t batch, n, m, coordinates;
};

// Calls rows(result, pitch, batch, i, count) for up to `together` points of a from i on, in tasks,
// and stores `length` numbers of each.
template <class T, class Storage, class Rows>
void for_points(const Extents& e, Storage* out, int64_t length, int64_t together,
                const Rows& rows) {
  const double ns = kNsPerDifference * static_cast<double>((e.m + 1) * (e.coordinates + 1));
  const int64_t groups = ceil_div(e.n, together), pitch = round_up(length, kLanes);
  in_tasks(e.batch * groups, ns * static_cast<double>(together), [&](int64_t begin, int64_t end) {
    const Scratch scratch(together * pitch * static_cast<int64_t>(sizeof(T)));
    T* const result = reinterpret_cast<T*>(scratch.data());
    for (int64_t group = begin; group < end; ++group) {
      const int64_t batch = group / groups, i = group % groups * together;
      const int64_t count = std::min(together, e.n - i);
      rows(result, pitch, batch, i, count);
      for (int64_t row = 0; row < count; ++row) {
        Storage* const to = out + (batch * e.n + i + row) * length;
        for (int64_t k = 0; k < length; ++k) {
          to[k] = Sum<Storage>::narrow(canonical(result[row * pitch + k]));
        }
      }
    }
  });
}

template <class Storage>
void sum_typed(const Extents& e, Storage* out, const Storage* u, const Storage* a,
               const Storage* b) {
  using T = typename Sum<Storage>::Type;
  const Tier<T>& tier = current_tier<T>();
  const Packed<T> mine(a, e.batch, e.n, e.coordinates);
  const Packed<T> other(b, e.batch, e.m, e.coordinates, tier.pairs);
  const Packed<T> left(u != nullptr ? u : a, e.batch, u != nullptr ? e.n : 0, e.coordinates);
  const auto sum = u != nullptr ? tier.sums : tier.squares;
  for_points<T>(e, out, e.m, kPoints,
                [&](T* result, int64_t pitch, int64_t batch, int64_t i, int64_t count) {
                  // Squares have no `u`; any row will do.
                  const T* const first = u != nullptr ? left.row(batch, i) : mine.row(batch, i);
                  sum(result, pitch, first, mine.row(batch, i), other.row(batch, 0), count, e.m,
                      mine.columns());
                });
}

template <class Storage>
void weigh_typed(const Extents& e, Storage* out, const Storage* w, const Storage* a,
                 const Storage* b) {
  using T = typename Sum<Storage>::Type;
  const Tier<T>& tier = current_tier<T>();
  const Packed<T> mine(a, e.batch, e.n, e.coordinates), other(b, e.batch, e.m, e.coordinates);
  const Packed<T> weights(w, e.batch, e.n, e.m);
  for_points<T>(e, out, e.coordinates, 1,
                [&](T* result, int64_t, int64_t batch, int64_t i, int64_t) {
                  tier.weighed(result, weights.row(batch, i), mine.row(batch, i),
                               other.row(batch, 0), e.m, mine.columns());
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
