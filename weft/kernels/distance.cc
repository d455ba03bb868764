// Sums over differences of points, in tasks of some points of a. For sums over coordinates the
// points of b are in the lanes (distance/tier_sums.h); for weighed sums over the points of b the
// coordinates are, with rows packed into whole vectors. Each element has chains of its own, which
// are the same on every tier, and so are its bits.
#include "weft/kernels/distance.h"

#include <algorithm>
#include <cstring>

#include "weft/base/cpu.h"
#include "weft/base/error.h"
#include "weft/base/sizes.h"
#include "weft/kernels/accumulate.h"
#include "weft/kernels/distance/tier.h"
#include "weft/kernels/scratch.h"
#include "weft/kernels/tasks.h"

namespace weft::kernels {
namespace {

constexpr int64_t kLanes = 8;        // of weighed sums
constexpr int64_t kPointGroup = 48;  // points of a whose sums one block of b is used for
constexpr double kNsPerDifference = 0.1;

template <class T>
struct Vectors {
  typedef T Whole __attribute__((vector_size(kLanes * sizeof(T))));
};

// [batch, rows, columns] with zeros behind: columns to a multiple of kLanes.
template <class T>
class Packed {
 public:
  template <class Storage>
  Packed(const Storage* from, int64_t batch, int64_t rows, int64_t columns)
      : rows_(rows),
        columns_(round_up(columns, kLanes)),
        memory_(std::max<int64_t>(1, batch * rows_ * columns_) * static_cast<int64_t>(sizeof(T))) {
    in_tasks(batch * rows_, 0.5 * static_cast<double>(columns_), [&](int64_t begin, int64_t end) {
      for (int64_t row = begin; row < end; ++row) {
        T* const to = data() + row * columns_;
        for (int64_t k = 0; k < columns_; ++k) {
          to[k] = k < columns ? Sum<Storage>::widen(from[row * columns + k]) : T(0);
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

// [batch, rows, columns] as blocks of `lanes` rows, [columns, lanes] each, with zeros behind the
// last row.
template <class T>
class Blocks {
 public:
  template <class Storage>
  Blocks(const Storage* from, int64_t batch, int64_t rows, int64_t columns, int64_t lanes)
      : blocks_(ceil_div(rows, lanes)),
        block_(columns * lanes),
        memory_(std::max<int64_t>(1, batch * blocks_ * block_) * static_cast<int64_t>(sizeof(T))) {
    in_tasks(batch * blocks_, static_cast<double>(block_), [&](int64_t begin, int64_t end) {
      for (int64_t at = begin; at < end; ++at) {
        const int64_t first = at % blocks_ * lanes, used = std::min(lanes, rows - first);
        const Storage* const rows_from = from + (at / blocks_ * rows + first) * columns;
        T* const to = data() + at * block_;
        for (int64_t k = 0; k < columns; ++k) {
          for (int64_t l = 0; l < lanes; ++l) {
            to[k * lanes + l] = l < used ? Sum<Storage>::widen(rows_from[l * columns + k]) : T(0);
          }
        }
      }
    });
  }

  const T* of_batch(int64_t batch) const { return data() + batch * blocks_ * block_; }

 private:
  T* data() const { return reinterpret_cast<T*>(memory_.data()); }

  int64_t blocks_, block_;
  Scratch memory_;
};

// Elements in the type that is summed in: as they are, or a wider copy.
template <class T, class Storage>
class Widened {
 public:
  Widened(const Storage* from, int64_t count)
      : memory_(std::is_same_v<T, Storage> ? 0 : count * static_cast<int64_t>(sizeof(T))) {
    if constexpr (std::is_same_v<T, Storage>) {
      data_ = from;
    } else {
      T* const to = reinterpret_cast<T*>(memory_.data());
      for (int64_t i = 0; i < count; ++i) to[i] = Sum<Storage>::widen(from[i]);
      data_ = to;
    }
  }
  const T* data() const { return data_; }

 private:
  Scratch memory_;
  const T* data_ = nullptr;
};

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
using WeighRow = void (*)(T*, const T*, const T*, const T*, int64_t, int64_t);

#define WEFT_DISTANCE_TIER(name, attributes)                                              \
  template <class T>                                                                      \
  attributes void weigh_row_##name(T* out, const T* w, const T* a, const T* b, int64_t m, \
                                   int64_t columns) {                                     \
    weigh_row<T>(out, w, a, b, m, columns);                                               \
  }

WEFT_DISTANCE_TIER(portable, )
#if defined(__x86_64__)
WEFT_DISTANCE_TIER(avx2, [[gnu::target("avx2")]])
WEFT_DISTANCE_TIER(avx512, [[gnu::target("avx512f,avx512vl,avx512dq")]])
#endif

template <class T>
WeighRow<T> current_weigh_row() {
#if defined(__x86_64__)
  if (current_isa() == Isa::avx512) return weigh_row_avx512<T>;
  if (current_isa() == Isa::avx2) return weigh_row_avx2<T>;
#endif
  return weigh_row_portable<T>;
}

template <class T>
const distance::Kernels<T>& current_kernels() {
  const distance::Tier* tier = &distance::portable::kTier;
#if defined(__x86_64__)
  if (current_isa() == Isa::avx512) tier = &distance::avx512::kTier;
  if (current_isa() == Isa::avx2) tier = &distance::avx2::kTier;
#endif
  if constexpr (std::is_same_v<T, float>) {
    return tier->f32;
  } else {
    return tier->f64;
  }
}

struct Extents {
  int64_t batch, n, m, coordinates;
};

template <class Storage>
void sum_typed(const Extents& e, Storage* out, const Storage* u, const Storage* a,
               const Storage* b) {
  using T = typename Sum<Storage>::Type;
  constexpr bool kInPlace = std::is_same_v<T, Storage>;
  const distance::Kernels<T>& kernels = current_kernels<T>();
  const int64_t count = e.batch * e.n * e.coordinates;
  const Widened<T, Storage> mine(a, count), left(u, u != nullptr ? count : 0);
  const Blocks<T> other(b, e.batch, e.m, e.coordinates, kernels.lanes);
  const double ns = kNsPerDifference * static_cast<double>((e.m + 1) * (e.coordinates + 1));
  const int64_t groups = ceil_div(e.n, kPointGroup);
  in_tasks(e.batch * groups, ns * kPointGroup, [&](int64_t begin, int64_t end) {
    const Scratch scratch(kInPlace ? 0 : kPointGroup * e.m * static_cast<int64_t>(sizeof(T)));
    for (int64_t group = begin; group < end; ++group) {
      const int64_t batch = group / groups, i = group % groups * kPointGroup;
      const int64_t from = (batch * e.n + i) * e.coordinates;
      distance::Sums<T> sums{.u = u != nullptr ? left.data() + from : nullptr,
                             .a = mine.data() + from,
                             .b = other.of_batch(batch),
                             .points = std::min(kPointGroup, e.n - i),
                             .others = e.m,
                             .coordinates = e.coordinates,
                             .out = reinterpret_cast<T*>(scratch.data()),
                             .pitch = e.m};
      Storage* const to = out + (batch * e.n + i) * e.m;
      if constexpr (kInPlace) sums.out = to;
      kernels.sum(sums);
      if constexpr (!kInPlace) {
        for (int64_t k = 0; k < sums.points * e.m; ++k) to[k] = Sum<Storage>::narrow(sums.out[k]);
      }
    }
  });
}

template <class Storage>
void weigh_typed(const Extents& e, Storage* out, const Storage* w, const Storage* a,
                 const Storage* b) {
  using T = typename Sum<Storage>::Type;
  const WeighRow<T> weigh = current_weigh_row<T>();
  const Packed<T> mine(a, e.batch, e.n, e.coordinates), other(b, e.batch, e.m, e.coordinates);
  const Packed<T> weights(w, e.batch, e.n, e.m);
  const double ns = kNsPerDifference * static_cast<double>((e.m + 1) * (e.coordinates + 1));
  in_tasks(e.batch * e.n, ns, [&](int64_t begin, int64_t end) {
    const Scratch scratch(mine.columns() * static_cast<int64_t>(sizeof(T)));
    T* const result = reinterpret_cast<T*>(scratch.data());
    for (int64_t at = begin; at < end; ++at) {
      const int64_t batch = at / e.n, i = at % e.n;
      weigh(result, weights.row(batch, i), mine.row(batch, i), other.row(batch, 0), e.m,
            mine.columns());
      Storage* const to = out + at * e.coordinates;
      for (int64_t k = 0; k < e.coordinates; ++k) {
        to[k] = Sum<Storage>::narrow(canonical(result[k]));
      }
    }
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
