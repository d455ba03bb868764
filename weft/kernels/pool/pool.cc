// Windows walked place by place, a stretch of channels at a time.
#include "weft/kernels/pool/pool.h"

#include <algorithm>
#include <cstring>

#include "weft/base/error.h"
#include "weft/kernels/operand.h"
#include "weft/kernels/tasks.h"

namespace weft::kernels {
namespace {

constexpr int64_t kChannels = 64;  // of one stretch: what is best so far stays in registers or L1
constexpr int kAxes = 3;

// One window: along each axis a first element and a number of them. Axes that a problem has not
// got come first and have one element.
struct Window {
  int64_t begin[kAxes] = {}, count[kAxes] = {1, 1, 1};
};

struct Problem {
  int64_t batch, channels, places[kAxes] = {1, 1, 1}, size[kAxes] = {1, 1, 1};
  int64_t step[kAxes] = {1, 1, 1};
  int64_t n_stride, stride[kAxes] = {}, c_stride;  // of the tensor that windows lie in
  const Windows& windows;
  int first;

  Problem(const Operand& x, const Windows& all)
      : batch(x.dims[0].value()),
        channels(x.dims[x.rank - 1].value()),
        n_stride(x.strides[0]),
        c_stride(x.strides[x.rank - 1]),
        windows(all),
        first(kAxes - (x.rank - 2)) {
    for (int d = first; d < kAxes; ++d) {
      const WindowAxis& axis = windows[static_cast<size_t>(d - first)];
      places[d] = static_cast<int64_t>(axis.begin.size());
      size[d] = x.dims[1 + d - first].value();
      step[d] = axis.step;
      stride[d] = x.strides[1 + d - first];
    }
  }
  int64_t all_places() const { return places[0] * places[1] * places[2]; }
  // Channels side by side, fewer than fill vectors, in memory that goes forward.
  bool has_narrow_rows() const {
    const bool is_forward = n_stride >= 0 && *std::ranges::min_element(stride) >= 0;
    return is_forward && channels < 16 && (c_stride == 1 || channels == 1);
  }

  Window window(int64_t place) const {
    Window out;
    for (int d = kAxes - 1; d >= first; --d) {
      const WindowAxis& axis = windows[static_cast<size_t>(d - first)];
      const auto i = static_cast<size_t>(place % places[d]);
      place /= places[d];
      out.begin[d] = axis.begin[i];
      out.count[d] = axis.count[i];
    }
    return out;
  }

  // body(offset, position) for each element of the window, ascending: its offset in memory, and
  // its position in all of space.
  template <class Body>
  void for_each(const Window& w, Body&& body) const {
    for (int64_t a = 0; a < w.count[0]; ++a) {
      const int64_t p0 = w.begin[0] + a * step[0];
      for (int64_t b = 0; b < w.count[1]; ++b) {
        const int64_t p1 = w.begin[1] + b * step[1];
        for (int64_t c = 0; c < w.count[2]; ++c) {
          const int64_t p2 = w.begin[2] + c * step[2];
          body(p0 * stride[0] + p1 * stride[1] + p2 * stride[2],
               (p0 * size[1] + p1) * size[2] + p2);
        }
      }
    }
  }
};

template <class T, class Index, bool Adjacent>
void max_of(const Problem& p, const T* x, int64_t place, int64_t count, T* out, int64_t* at) {
  T best[kChannels];
  Index where[kChannels];
  const int64_t apart = Adjacent ? 1 : p.c_stride;
  bool is_first = true;
  p.for_each(p.window(place), [&](int64_t offset, int64_t position) {
    const T* const from = x + offset;
    const auto here = static_cast<Index>(position);
    if (is_first) {
      for (int64_t c = 0; c < count; ++c) best[c] = from[c * apart], where[c] = here;
      is_first = false;
      return;
    }
    for (int64_t c = 0; c < count; ++c) {
      const T value = from[c * apart];
      // Greater, or the first NaN.
      const bool better = !(value <= best[c]) & (best[c] == best[c]);
      best[c] = better ? value : best[c];
      where[c] = better ? here : where[c];
    }
  });
  for (int64_t c = 0; c < count; ++c) out[c] = best[c], at[c] = where[c];
}

// Few channels, side by side: W lanes of which the first are in use. The others take what comes
// next in memory, as long as that is of the tensor.
template <class T, int W>
class NarrowMax {
 public:
  NarrowMax(const Problem& p, const T* x) : p_(p), x_(x) {
    end_ = x + (p.batch - 1) * p.n_stride + p.channels;
    for (int d = 0; d < kAxes; ++d) end_ += (p.size[d] - 1) * p.stride[d];
  }

  // All places along the last axis: `line` counts those of the other axes.
  void run(int64_t n, int64_t line, T* out, int64_t* at) const {
    Window w = p_.window(line * p_.places[2]);
    const WindowAxis& last = p_.windows[p_.windows.size() - 1];
    const T* const image = x_ + n * p_.n_stride;
    for (int64_t i = 0; i < p_.places[2]; ++i, out += p_.channels, at += p_.channels) {
      w.begin[2] = last.begin[static_cast<size_t>(i)];
      w.count[2] = last.count[static_cast<size_t>(i)];
      Lanes best{};
      bool is_first = true;
      p_.for_each(w, [&](int64_t offset, int64_t position) {
        meet(best, is_first, image + offset, static_cast<Index>(position));
        is_first = false;
      });
      T value[W];
      Index where[W];
      std::memcpy(value, best.value, sizeof value);
      std::memcpy(where, best.where, sizeof where);
      for (int64_t c = 0; c < p_.channels; ++c) out[c] = value[c], at[c] = where[c];
    }
  }

 private:
  // Vectors of 16 bytes, which every processor has. Positions are as wide as values, so that one
  // comparison chooses both.
  static constexpr int kVectors = W * static_cast<int>(sizeof(T)) / 16;
  using Index = std::conditional_t<sizeof(T) == 4, int32_t, int64_t>;
  typedef T Values __attribute__((vector_size(16)));
  typedef Index Positions __attribute__((vector_size(16)));
  struct Lanes {
    Values value[kVectors];
    Positions where[kVectors];
  };

  [[gnu::always_inline]] void meet(Lanes& best, bool is_first, const T* from, Index here) const {
    Values value[kVectors] = {};
    if (end_ - from >= W) [[likely]] {
      std::memcpy(value, from, sizeof value);
    } else {
      std::memcpy(value, from, static_cast<size_t>(p_.channels) * sizeof(T));
    }
    const Positions position = here - Positions{};
#pragma GCC unroll 8
    for (int v = 0; v < kVectors; ++v) {
      const Values old = best.value[v];
      const Positions better = is_first ? ~Positions{} : ~(value[v] <= old) & (old == old);
      best.value[v] = better ? value[v] : old;
      best.where[v] = better ? position : best.where[v];
    }
  }

  const Problem& p_;
  const T* x_;
  const T* end_;
};

// body(n, place, first channel, number of channels) for stretches that tasks share.
template <class Body>
void for_stretches(const Problem& p, int64_t taps, Body&& body) {
  const int64_t places = p.all_places();
  const double ns = static_cast<double>(p.channels * taps) * 0.5;
  in_tasks(p.batch * places, ns, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      for (int64_t c = 0; c < p.channels; c += kChannels) {
        body(i / places, i % places, c, std::min(kChannels, p.channels - c));
      }
    }
  });
}

int64_t most_taps(const Windows& windows) {
  int64_t out = 1;
  for (const WindowAxis& axis : windows) {
    out *= axis.count.empty() ? 1 : *std::max_element(axis.count.begin(), axis.count.end());
  }
  return out;
}

template <class T, int W>
void max_narrow(const Problem& p, const T* x, T* out, int64_t* at) {
  const NarrowMax<T, W> lines(p, x);
  const int64_t count = p.all_places() / p.places[2], line = p.places[2] * p.channels;
  const double ns = static_cast<double>(p.places[2] * most_taps(p.windows)) * 3;
  in_tasks(p.batch * count, ns, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      lines.run(i / count, i % count, out + i * line, at + i * line);
    }
  });
}

template <class T, class Index>
void max_indexed(const Problem& p, const Tensor& out, const Tensor& indices, const Tensor& x) {
  const T* const from = static_cast<const T*>(x.data());
  T* const to = static_cast<T*>(out.writable_data());
  auto* const at = static_cast<int64_t*>(indices.writable_data());
  for_stretches(p, most_taps(p.windows), [&](int64_t n, int64_t place, int64_t c, int64_t count) {
    const int64_t done = (n * p.all_places() + place) * p.channels + c;
    const T* const begin = from + n * p.n_stride + c * p.c_stride;
    if (p.c_stride == 1) {
      max_of<T, Index, true>(p, begin, place, count, to + done, at + done);
    } else {
      max_of<T, Index, false>(p, begin, place, count, to + done, at + done);
    }
  });
}

// Indices of 32 bits go through twice the lanes.
template <class T>
void max_typed(const Tensor& out, const Tensor& indices, const Tensor& x, const Windows& windows) {
  const Problem p(operand_of(x), windows);
  const bool is_small = p.size[0] * p.size[1] * p.size[2] <= INT32_MAX;
  if (is_small && p.has_narrow_rows()) {
    const T* const from = static_cast<const T*>(x.data());
    T* const to = static_cast<T*>(out.writable_data());
    auto* const at = static_cast<int64_t*>(indices.writable_data());
    return p.channels <= 4   ? max_narrow<T, 4>(p, from, to, at)
           : p.channels <= 8 ? max_narrow<T, 8>(p, from, to, at)
                             : max_narrow<T, 16>(p, from, to, at);
  }
  is_small ? max_indexed<T, int32_t>(p, out, indices, x)
           : max_indexed<T, int64_t>(p, out, indices, x);
}

template <class T>
void mean_typed(const Tensor& out, const Tensor& x, const Windows& windows,
                const Tensor& divisors) {
  const Problem p(operand_of(x), windows);
  const T* const from = static_cast<const T*>(x.data());
  T* const to = static_cast<T*>(out.writable_data());
  const auto* const divisor = static_cast<const double*>(divisors.data());
  for_stretches(p, most_taps(windows), [&](int64_t n, int64_t place, int64_t c, int64_t count) {
    T total[kChannels] = {};
    const T* const begin = from + n * p.n_stride + c * p.c_stride;
    p.for_each(p.window(place), [&](int64_t offset, int64_t) {
      const T* const at = begin + offset;
      if (p.c_stride == 1) {
        for (int64_t i = 0; i < count; ++i) total[i] += at[i];
      } else {
        for (int64_t i = 0; i < count; ++i) total[i] += at[i * p.c_stride];
      }
    });
    T* const result = to + (n * p.all_places() + place) * p.channels + c;
    const T by = static_cast<T>(divisor[place]);
    for (int64_t i = 0; i < count; ++i) result[i] = total[i] / by;
  });
}

// Tasks share examples and stretches of channels, so that each element is added to by one of them.
template <class T>
void spread_typed(const Tensor& out, const Tensor& g, const Windows& windows,
                  const Tensor& divisors) {
  const Problem p(operand_of(out), windows);
  const Operand from = operand_of(g);
  T* const to = static_cast<T*>(out.writable_data());
  const auto* const divisor = static_cast<const double*>(divisors.data());
  const int64_t stretches = (p.channels + kChannels - 1) / kChannels, places = p.all_places();
  const double ns = static_cast<double>(places * most_taps(windows) * kChannels) * 0.5;
  const int64_t g_channel = from.strides[from.rank - 1];
  in_tasks(p.batch * stretches, ns, [&](int64_t begin, int64_t end) {
    for (int64_t task = begin; task < end; ++task) {
      const int64_t n = task / stretches, c = task % stretches * kChannels;
      const int64_t count = std::min(kChannels, p.channels - c);
      T* const base = to + n * p.n_stride + c;
      for (int64_t place = 0; place < places; ++place) {
        int64_t offset = n * from.strides[0] + c * g_channel, rest = place;
        for (int d = kAxes - 1; d >= p.first; --d) {
          offset += rest % p.places[d] * from.strides[1 + d - p.first];
          rest /= p.places[d];
        }
        const T* const given = reinterpret_cast<const T*>(from.data) + offset;
        T share[kChannels];
        const T by = static_cast<T>(divisor[place]);
        for (int64_t i = 0; i < count; ++i) share[i] = given[i * g_channel] / by;
        p.for_each(p.window(place), [&](int64_t at, int64_t) {
          for (int64_t i = 0; i < count; ++i) base[at + i] += share[i];
        });
      }
    }
  });
}

}  // namespace

void window_max(const Tensor& out, const Tensor& indices, const Tensor& x, const Windows& windows) {
  if (out.numel() == 0) return;
  switch (out.dtype()) {
    case DType::kF32: return max_typed<float>(out, indices, x, windows);
    case DType::kF64: return max_typed<double>(out, indices, x, windows);
    case DType::kI64: return max_typed<int64_t>(out, indices, x, windows);
    case DType::kU64: return max_typed<uint64_t>(out, indices, x, windows);
    default: WEFT_ASSERT(false, "window_max of ", out.dtype());
  }
}

void window_mean(const Tensor& out, const Tensor& x, const Windows& windows,
                 const Tensor& divisors) {
  if (out.numel() == 0) return;
  if (out.dtype() == DType::kF32) return mean_typed<float>(out, x, windows, divisors);
  WEFT_ASSERT(out.dtype() == DType::kF64, "window_mean of ", out.dtype());
  mean_typed<double>(out, x, windows, divisors);
}

void window_spread(const Tensor& out, const Tensor& g, const Windows& windows,
                   const Tensor& divisors) {
  if (out.numel() == 0 || g.numel() == 0) return;
  if (out.dtype() == DType::kF32) return spread_typed<float>(out, g, windows, divisors);
  WEFT_ASSERT(out.dtype() == DType::kF64, "window_spread of ", out.dtype());
  spread_typed<double>(out, g, windows, divisors);
}

}  // namespace weft::kernels
