// Reductions by segment. Batches and columns run in parallel, rows in order: two rows meet only in
// a column, so the order is that of the rows whatever the number of threads.
#include "weft/kernels/segment.h"

#include <algorithm>
#include <limits>
#include <type_traits>

#include "weft/kernels/accumulate.h"
#include "weft/kernels/operand.h"
#include "weft/kernels/scratch.h"
#include "weft/kernels/tasks.h"

namespace weft::kernels {
namespace {

constexpr double kNsPerElement = 1.0;
constexpr int64_t kRowsPerPoll = 1 << 20;
constexpr int64_t kManyRows = 32;  // of a segment, on average
constexpr int64_t kColumns = 256;  // the least part of a row that a task of its own works on

struct Extents {
  int64_t batch, rows, segments, columns;
  int64_t step;  // of data along the rows of a single column: 0 if one value stands for all
};

struct Plus {
  template <class T>
  static T identity() {
    return T{};
  }
  template <class T>
  static T combine(T a, T b) {
    if constexpr (is_complex_type<T>) {
      return {a.re + b.re, a.im + b.im};
    } else if constexpr (std::is_floating_point_v<T>) {
      return a + b;
    } else {
      return static_cast<T>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));  // wraps
    }
  }
};

struct Times {
  template <class T>
  static T identity() {
    if constexpr (is_complex_type<T>) {
      return {1, 0};
    } else {
      return T{1};
    }
  }
  template <class T>
  static T combine(T a, T b) {
    if constexpr (is_complex_type<T>) {
      return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
    } else if constexpr (std::is_floating_point_v<T>) {
      return a * b;
    } else {
      return static_cast<T>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
    }
  }
};

// NaN wins; of equal ones the first stays.
template <bool largest>
struct Extremum {
  template <class T>
  static T identity() {
    using Limits = std::numeric_limits<T>;
    if constexpr (std::is_floating_point_v<T>) {
      return largest ? -Limits::infinity() : Limits::infinity();
    } else {
      return largest ? Limits::lowest() : Limits::max();
    }
  }
  template <class T>
  static T combine(T a, T b) {
    if constexpr (std::is_floating_point_v<T>) {
      if (a != a || b != b) return a + b;  // NaN
    }
    return (largest ? a < b : b < a) ? b : a;
  }
};

// Whether combining leaves `a` as it is, bit for bit: the value is no new extremum and neither is
// NaN.
template <class By, class T>
bool keeps(T a, T b) {
  if constexpr (std::is_same_v<By, Extremum<true>>) {
    return b <= a;
  } else {
    return b >= a;
  }
}
template <class By>
inline constexpr bool is_extremum =
    std::is_same_v<By, Extremum<true>> || std::is_same_v<By, Extremum<false>>;

// Calls body(begin, end) for parts of [0, count), in tasks.
template <class Body>
void for_elements(int64_t count, const Body& body) {
  constexpr double kNsPerStore = 0.25;
  in_tasks(count, kNsPerStore, body);
}

// Columns [first, last) of batch b are combined into `totals` ([batch, segments, columns]).
template <class Id, class T, class By>
void combine_columns(const Extents& n, const T* data, const Id* ids, int64_t b, int64_t first,
                     int64_t last, typename Sum<T>::Type* totals) {
  using Total = typename Sum<T>::Type;
  const int64_t width = last - first;
  const Id* const id = ids + b * n.rows;
  const T* from = data + b * n.rows * n.columns * n.step + first;
  Total* const base = totals + b * n.segments * n.columns + first;
  for (int64_t begin = 0; begin < n.rows; begin += kRowsPerPoll) {
    poll_interrupt();
    const int64_t end = std::min(n.rows, begin + kRowsPerPoll);
    if (n.columns == 1) {
      if constexpr (is_extremum<By>) {
        // Where many rows meet in a segment, few of them change it: a branch that is predicted
        // spares the wait for the store before.
        if (n.rows >= kManyRows * n.segments) {
          for (int64_t i = begin; i < end; ++i) {
            Total& to = base[id[i]];
            const Total value = Sum<T>::widen(from[i * n.step]);
            if (!keeps<By>(to, value)) [[unlikely]]
              to = By::combine(to, value);
          }
          continue;
        }
      }
      for (int64_t i = begin; i < end; ++i) {
        Total& to = base[id[i]];
        to = By::combine(to, Sum<T>::widen(from[i * n.step]));
      }
      continue;
    }
    for (int64_t i = begin; i < end; ++i) {
      const T* const row = from + i * n.columns;
      Total* const to = base + static_cast<int64_t>(id[i]) * n.columns;
      for (int64_t c = 0; c < width; ++c) to[c] = By::combine(to[c], Sum<T>::widen(row[c]));
    }
  }
}

// Makes the NaNs among the totals canonical: in all segments or, if there are fewer rows than
// segments, in the segments that the rows went to.
template <class Id, class T>
void make_canonical(const Extents& n, T* out, const Id* ids) {
  if constexpr (std::is_integral_v<T>) return;
  if (n.rows >= n.segments) {
    return for_elements(n.batch * n.segments * n.columns, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) out[i] = canonical(out[i]);
    });
  }
  for (int64_t i = 0; i < n.batch * n.rows; ++i) {
    T* const to = out + (i / n.rows * n.segments + static_cast<int64_t>(ids[i])) * n.columns;
    for (int64_t c = 0; c < n.columns; ++c) to[c] = canonical(to[c]);
  }
}

// Half floats are combined in wider scratch totals and rounded once; all other dtypes are combined
// in the output.
template <class Id, class T, class By>
void combine_all(const Extents& n, T* out, const T* data, const Id* ids) {
  using Total = typename Sum<T>::Type;
  constexpr bool kInPlace = std::is_same_v<Total, T>;
  const int64_t count = n.batch * n.segments * n.columns;
  const Scratch scratch(kInPlace ? 0 : count * static_cast<int64_t>(sizeof(Total)));
  Total* totals = nullptr;
  if constexpr (kInPlace) {
    totals = out;
  } else {
    totals = reinterpret_cast<Total*>(scratch.data());
  }
  for_elements(count, [&](int64_t begin, int64_t end) {
    std::fill(totals + begin, totals + end, By::template identity<Total>());
  });
  const int64_t parts = (n.columns + kColumns - 1) / kColumns;
  const double ns = kNsPerElement * static_cast<double>(n.rows * std::min(n.columns, kColumns));
  in_tasks(n.batch * parts, ns, [&](int64_t begin, int64_t end) {
    for (int64_t task = begin; task < end; ++task) {
      const int64_t first = task % parts * kColumns;
      combine_columns<Id, T, By>(n, data, ids, task / parts, first,
                                 std::min(n.columns, first + kColumns), totals);
    }
  });
  if constexpr (kInPlace) {
    make_canonical(n, out, ids);
  } else {
    for_elements(count, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) out[i] = Sum<T>::narrow(canonical(totals[i]));
    });
  }
}

// In blocks without a way out, which compile to vectors: an id that is out of range has a sign, or
// its distance from the last segment has.
template <class Id>
int64_t first_out_of_range(const Id* ids, int64_t count, int64_t segments) {
  constexpr int64_t kBlock = 1024;
  const auto out_of_range = [&](int64_t i) {
    const auto id = static_cast<uint64_t>(static_cast<int64_t>(ids[i]));
    return id | (static_cast<uint64_t>(segments - 1) - id);
  };
  for (int64_t begin = 0; begin < count; begin += kBlock) {
    const int64_t end = std::min(count, begin + kBlock);
    uint64_t any = 0;
    for (int64_t i = begin; i < end; ++i) any |= out_of_range(i);
    for (int64_t i = begin; any >> 63 != 0 && i < end; ++i) {
      if (out_of_range(i) >> 63 != 0) return i;
    }
  }
  return -1;
}

template <class T, class By>
void combine_by_id(const Extents& n, const Tensor& out, const Tensor& data, const Tensor& ids) {
  T* const to = static_cast<T*>(out.writable_data());
  const T* const from = static_cast<const T*>(data.data());
  if (ids.dtype() == DType::kI32) {
    combine_all<int32_t, T, By>(n, to, from, static_cast<const int32_t*>(ids.data()));
  } else {
    combine_all<int64_t, T, By>(n, to, from, static_cast<const int64_t*>(ids.data()));
  }
}

template <class T>
void combine_typed(const Extents& n, const Tensor& out, const Tensor& data, const Tensor& ids,
                   SegmentBy by) {
  if (by == SegmentBy::kSum) return combine_by_id<T, Plus>(n, out, data, ids);
  if (by == SegmentBy::kProd) return combine_by_id<T, Times>(n, out, data, ids);
  if constexpr (!is_complex_type<T>) {
    if (by == SegmentBy::kMax) return combine_by_id<T, Extremum<true>>(n, out, data, ids);
    return combine_by_id<T, Extremum<false>>(n, out, data, ids);
  }
}

void combine(const Extents& n, const Tensor& out, const Tensor& data, const Tensor& ids,
             SegmentBy by) {
  switch (out.dtype()) {
    case DType::kBool: return combine_typed<bool>(n, out, data, ids, by);
    case DType::kU8: return combine_typed<uint8_t>(n, out, data, ids, by);
    case DType::kI8: return combine_typed<int8_t>(n, out, data, ids, by);
    case DType::kU16: return combine_typed<uint16_t>(n, out, data, ids, by);
    case DType::kI16: return combine_typed<int16_t>(n, out, data, ids, by);
    case DType::kU32: return combine_typed<uint32_t>(n, out, data, ids, by);
    case DType::kI32: return combine_typed<int32_t>(n, out, data, ids, by);
    case DType::kU64: return combine_typed<uint64_t>(n, out, data, ids, by);
    case DType::kI64: return combine_typed<int64_t>(n, out, data, ids, by);
    case DType::kF16: return combine_typed<Half>(n, out, data, ids, by);
    case DType::kBF16: return combine_typed<BFloat16>(n, out, data, ids, by);
    case DType::kF32: return combine_typed<float>(n, out, data, ids, by);
    case DType::kF64: return combine_typed<double>(n, out, data, ids, by);
    case DType::kC64: return combine_typed<Complex64>(n, out, data, ids, by);
    case DType::kC128: return combine_typed<Complex128>(n, out, data, ids, by);
  }
}

}  // namespace

int64_t segment(const Tensor& out, const Tensor& data, const Tensor& ids, SegmentBy by) {
  const int64_t rows = ids.dim(1).value(), columns = out.dim(2).value();
  const bool is_one = columns == 1 && data.numel() == 1;
  const Extents n{out.dim(0).value(), rows, out.dim(1).value(), columns, is_one ? 0 : 1};
  const int64_t bad = ids.dtype() == DType::kI32
                          ? first_out_of_range(static_cast<const int32_t*>(ids.data()),
                                               n.batch * n.rows, n.segments)
                          : first_out_of_range(static_cast<const int64_t*>(ids.data()),
                                               n.batch * n.rows, n.segments);
  if (bad < 0 && out.numel() > 0) combine(n, out, data, ids, by);
  return bad;
}

}  // namespace weft::kernels
