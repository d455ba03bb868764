// Packing operands into panels, converting on the way, and storing C in its dtype.
//
// A panel holds, step after step, one element of each of its rows of A (or columns of B). A's
// panels are as high as the micro-kernels' tiles; B's last panel is filled up with zeros to whole
// vectors. K is never padded: a step of 0 * 0 could turn -0 into +0. Included only by tier_*.cc,
// inside the tier's own namespace (see tier_vector.h).
#include "weft/kernels/matmul/tier_sweep.h"

template <class T, class S>
inline T load_one(const S* from) {
  return static_cast<T>(widen(*from));
}

// Steps [k0, k1) of a panel, element by element, for any strides; `width` >= count elements a step.
template <class T, class S>
[[gnu::noinline]] void pack_scalar(T* to, int64_t width, const S* from, int64_t count, int64_t k0,
                                   int64_t k1, int64_t stride, int64_t k_stride) {
  for (int64_t k = k0; k < k1; ++k) {
    T* out = to + k * width;
    const S* in = from + k * k_stride;
    int64_t i = 0;
    for (; i < count; ++i) out[i] = load_one<T>(in + i * stride);
    for (; i < width; ++i) out[i] = T(0);
  }
}

// The steps are contiguous in memory: squares are transposed in registers.
template <class T, class S>
[[gnu::noinline]] void pack_transposed(T* to, int64_t width, const S* from, int64_t count,
                                       int64_t k, int64_t stride) {
  constexpr int L = kLanes<T>;
  const int64_t whole = k - k % L;
  for (int64_t g = 0; g < width; g += L) {
    const int64_t left = width - g;
    const S* row[L];  // past the last row the last one is read again
    for (int64_t i = 0; i < L; ++i) row[i] = from + (g + i < count ? g + i : count - 1) * stride;
    for (int64_t k0 = 0; k0 < whole; k0 += L) {
      Vector<T> square[L];
      load_transposed<T, S>(row, k0, square);
      T* out = to + k0 * width + g;
      if (left >= L || g == 0) {
        // A narrow panel's step runs over into the next step, which is written after it.
#pragma GCC unroll 16
        for (int i = 0; i < L; ++i) store(out + i * width, square[i]);
      } else {
        for (int i = 0; i < L; ++i) store_part(out + i * width, square[i], static_cast<int>(left));
      }
    }
  }
  pack_scalar<T, S>(to, width, from, count, whole, k, stride, 1);
}

// Rows (or columns) are contiguous in memory: `steps` steps of one panel are copied. `readable`
// elements, not less than count, may be read of each step; the panel goes on for `left` steps.
template <class T, class S>
[[gnu::noinline]] void copy_steps(T* to, int64_t width, const S* from, int64_t count, int64_t steps,
                                  int64_t k_stride, int64_t readable, int64_t left) {
  constexpr int L = kLanes<T>;
  int64_t k = 0;
  if (count == 2 * L && width == 2 * L) {
    for (; k < steps; ++k) {
      store(to + k * width, load_as<T>(from + k * k_stride));
      store(to + k * width + L, load_as<T>(from + k * k_stride + L));
    }
  } else if (count == width && width <= L) {
    // A vector runs over into the panel's next steps, which are written after it.
    const int64_t whole = left * width < L ? 0 : (left * width - L) / width + 1;
    const int64_t end = whole < steps ? whole : steps;
    if (readable >= L) {
      for (; k < end; ++k) store(to + k * width, load_as<T>(from + k * k_stride));
    } else if constexpr (std::is_same<T, S>::value) {
      const Mask<T> mask(static_cast<int>(count));
      for (; k < end; ++k) store(to + k * width, mask.load(from + k * k_stride));
    }
  }
  if (k < steps) pack_scalar<T, S>(to, width, from, count, k, steps, 1, k_stride);
}

// One operand's panels: `panel(i)` gives where panel i begins and its rows; widths follow.
template <class T, class S, class Panels>
void pack_panels(const Packing& p, const Panels& panels) {
  T* to = static_cast<T*>(p.to);
  const S* from = static_cast<const S*>(p.from);
  if (p.k_stride == 1 || p.stride != 1) {
    int64_t begin = 0;
    for (int64_t i = 0; i < panels.count; ++i) {
      const int64_t rows = panels.rows_of(i);
      const int64_t width = panels.width_of(i);
      if (p.k_stride == 1) {
        pack_transposed<T, S>(to, width, from + begin * p.stride, rows, p.k, p.stride);
      } else {
        pack_scalar<T, S>(to, width, from + begin * p.stride, rows, 0, p.k, p.stride, p.k_stride);
      }
      begin += rows;
      to += width * p.k;
    }
    return;
  }
  // A few steps at a time across all panels, so that memory is read along its rows.
  constexpr int64_t kSteps = 8;
  for (int64_t k = 0; k < p.k; k += kSteps) {
    const int64_t steps = p.k - k < kSteps ? p.k - k : kSteps;
    int64_t begin = 0;
    T* out = to;
    for (int64_t i = 0; i < panels.count; ++i) {
      const int64_t rows = panels.rows_of(i);
      const int64_t width = panels.width_of(i);
      copy_steps<T, S>(out + k * width, width, from + begin + k * p.k_stride, rows, steps,
                       p.k_stride, p.count - begin, p.k - k);
      begin += rows;
      out += width * p.k;
    }
  }
}

struct PanelsOfA : RowPanels {
  using RowPanels::RowPanels;
  int64_t width_of(int64_t panel) const { return rows_of(panel); }
};

template <class T>
struct PanelsOfB {
  int64_t cols;
  int64_t count;
  explicit PanelsOfB(int64_t n) : cols(n), count((n + kMaxCols<T> - 1) / kMaxCols<T>) {}
  int64_t rows_of(int64_t panel) const {
    const int64_t left = cols - panel * kMaxCols<T>;
    return left < kMaxCols<T> ? left : kMaxCols<T>;
  }
  int64_t width_of(int64_t panel) const {
    return (rows_of(panel) + kLanes<T> - 1) / kLanes<T> * kLanes<T>;
  }
};

template <class T, class S>
void pack_a(const Packing& p) {
  pack_panels<T, S>(p, PanelsOfA(p.count, kMaxRows<T>));
}
template <class T, class S>
void pack_b(const Packing& p) {
  pack_panels<T, S>(p, PanelsOfB<T>(p.count));
}

// Complex A as a real matrix: the steps of a row are re, im, re, im, ...
template <class T>
void pack_complex_a(const Packing& p) {
  if (p.k_stride == 1) {
    Packing real = p;
    real.stride = 2 * p.stride;
    return pack_a<T, T>(real);
  }
  const PanelsOfA panels(p.count, kMaxRows<T>);
  T* to = static_cast<T*>(p.to);
  const T* from = static_cast<const T*>(p.from);
  for (int64_t i = 0; i < panels.count; ++i) {
    const int64_t rows = panels.rows_of(i);
    for (int64_t k = 0; k < p.k; k += 2) {
      for (int64_t r = 0; r < rows; ++r) {
        const T* at = from + 2 * (r * p.stride + k / 2 * p.k_stride);
        to[k * rows + r] = at[0];
        to[(k + 1) * rows + r] = at[1];
      }
    }
    from += 2 * rows * p.stride;
    to += rows * p.k;
  }
}

// Complex B as a real matrix of twice the steps and columns: step 2k is (re, im), step 2k + 1 is
// (-im, re), so that real chains against A's (re, im) give the complex product.
template <class T>
void pack_complex_b(const Packing& p) {
  const PanelsOfB<T> panels(p.count);
  T* to = static_cast<T*>(p.to);
  const T* from = static_cast<const T*>(p.from);
  for (int64_t i = 0; i < panels.count; ++i) {
    const int64_t cols = panels.rows_of(i);
    const int64_t width = panels.width_of(i);
    for (int64_t k = 0; k < p.k; k += 2) {
      T* even = to + k * width;
      T* odd = even + width;
      int64_t j = 0;
      for (; j < cols; j += 2) {
        const T* at = from + 2 * (j / 2 * p.stride + k / 2 * p.k_stride);
        even[j] = at[0];
        even[j + 1] = at[1];
        odd[j] = -at[1];
        odd[j + 1] = at[0];
      }
      for (; j < width; ++j) even[j] = odd[j] = T(0);
    }
    from += cols * p.stride;
    to += width * p.k;
  }
}

template <class T, class S>
void store_as(const Storing& s) {
  const T* from = static_cast<const T*>(s.from);
  S* to = static_cast<S*>(s.to);
  for (int64_t r = 0; r < s.rows; ++r) {
    for (int64_t j = 0; j < s.cols; ++j) narrow(from[j], to + j);
    from += s.from_row;
    to += s.to_row;
  }
}

template <class T, class S>
inline constexpr StorageKernels kDirect{pack_a<T, S>, pack_b<T, S>, nullptr};
template <class T, class S>
inline constexpr StorageKernels kConverted{pack_a<T, S>, pack_b<T, S>, store_as<T, S>};
template <class T>
inline constexpr StorageKernels kComplex{pack_complex_a<T>, pack_complex_b<T>, nullptr};
