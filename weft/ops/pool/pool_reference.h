// Pooling in long double, by its definition: the reference of the tests of pool/.
#pragma once

#include <algorithm>

#include "weft/ops/nn/conv_call_reference.h"

namespace weft::suite {

// One axis of windows: those of a stride, or adaptive ones if places > 0.
struct PoolAxis {
  int64_t taps = 1, stride = 1, dilation = 1, low = 0, high = 0, places = 0;
  bool ceil = false;

  int64_t count(int64_t size) const {
    if (places > 0) return places;
    const int64_t room = size + low + high - (taps - 1) * dilation - 1;
    int64_t out = (ceil ? room + stride - 1 : room) / stride + 1;
    if (ceil && (out - 1) * stride >= size + low) --out;
    return out;
  }
  // The positions of the window at a place, also those in the padding.
  std::vector<int64_t> window(int64_t place, int64_t size) const {
    std::vector<int64_t> out;
    if (places > 0) {
      for (int64_t p = place * size / places; p < ((place + 1) * size + places - 1) / places; ++p)
        out.push_back(p);
      return out;
    }
    for (int64_t k = 0; k < taps; ++k) {
      const int64_t p = place * stride - low + k * dilation;
      if (p < size + high) out.push_back(p);
    }
    return out;
  }
};
using PoolAxes = std::vector<PoolAxis>;

// body(place's position in y, x's position or -1 for padding, its index in space) for each term.
template <class Body>
void for_each_pooled(const PoolAxes& axes, const std::vector<int64_t>& x,
                     const std::vector<int64_t>& y, const Body& body) {
  for (int64_t i = 0; i < count(y); ++i) {
    const std::vector<int64_t> at = unravel(i, y);
    std::vector<std::vector<int64_t>> positions;
    std::vector<int64_t> taps;
    for (size_t d = 0; d < axes.size(); ++d) {
      positions.push_back(axes[d].window(at[d + 1], x[d + 1]));
      taps.push_back(static_cast<int64_t>(positions.back().size()));
    }
    for (int64_t j = 0; j < count(taps); ++j) {
      const std::vector<int64_t> k = unravel(j, taps);
      std::vector<int64_t> from = at;
      int64_t space = 0;
      bool outside = false;
      for (size_t d = 0; d < axes.size(); ++d) {
        from[d + 1] = positions[d][static_cast<size_t>(k[d])];
        outside = outside || from[d + 1] < 0 || from[d + 1] >= x[d + 1];
        space = space * x[d + 1] + from[d + 1];
      }
      body(static_cast<size_t>(i), outside ? -1 : ravel(from, x), space);
    }
  }
}

inline std::vector<int64_t> pooled_shape(const PoolAxes& axes, std::vector<int64_t> shape) {
  for (size_t d = 0; d < axes.size(); ++d) shape[d + 1] = axes[d].count(shape[d + 1]);
  return shape;
}

inline Arrays max_pooled(const PoolAxes& axes, const Array& x) {
  Array out = like(x, pooled_shape(axes, x.shape));
  Array indices{DType::kI64, out.shape, std::vector<ScalarValue>(out.values.size())};
  std::vector<bool> begun(out.values.size());
  for_each_pooled(axes, x.shape, out.shape, [&](size_t to, int64_t from, int64_t space) {
    if (from < 0) return;
    const ScalarValue& v = x.values[static_cast<size_t>(from)];
    const long double best = out.values[to].re;
    const bool greater = (!(v.re <= best) && best == best) ||
                         (x.dtype == DType::kU64
                              ? static_cast<uint64_t>(v.i) > static_cast<uint64_t>(out.values[to].i)
                              : v.i > out.values[to].i);
    if (begun[to] && !greater) return;
    begun[to] = true;
    out.values[to] = v;
    indices.values[to].i = space;
  });
  return {out, indices};
}

// The divisor of each place: elements that count.
inline std::vector<long double> divisors(const PoolAxes& axes, const std::vector<int64_t>& x,
                                         const std::vector<int64_t>& y, bool include_pad,
                                         std::optional<int64_t> fixed) {
  std::vector<long double> out(static_cast<size_t>(count(y)));
  for_each_pooled(axes, x, y, [&](size_t to, int64_t from, int64_t) {
    if (from >= 0 || include_pad) ++out[to];
  });
  if (fixed) std::fill(out.begin(), out.end(), static_cast<long double>(*fixed));
  return out;
}

inline Array mean_pooled(const PoolAxes& axes, const Array& x, bool include_pad,
                         std::optional<int64_t> fixed) {
  Array out = like(x, pooled_shape(axes, x.shape));
  const auto by = divisors(axes, x.shape, out.shape, include_pad, fixed);
  for_each_pooled(axes, x.shape, out.shape, [&](size_t to, int64_t from, int64_t) {
    if (from >= 0) out.values[to].re += x.values[static_cast<size_t>(from)].re / by[to];
  });
  return out;
}

inline int64_t listed_at(const Ints& list, size_t d, int64_t otherwise) {
  return list.empty() ? otherwise : list[list.size() == 1 ? 0 : d];
}

// The windows of a primitive.
inline PoolAxes primitive_axes(const Attrs& at, size_t axes, bool with_dilation) {
  PoolAxes out(axes);
  for (size_t d = 0; d < axes; ++d) {
    out[d].taps = listed_at(at.get<Ints>("taps"), d, 1);
    out[d].stride = listed_at(at.get<Ints>("stride"), d, out[d].taps);
    if (with_dilation) out[d].dilation = listed_at(at.get<Ints>("dilation"), d, 1);
    out[d].low = listed_at(at.get<Ints>("low"), d, 0);
    out[d].high = listed_at(at.get<Ints>("high"), d, 0);
    out[d].places = listed_at(at.get<Ints>("places"), d, 0);
    out[d].ceil = at.get<bool>("ceil_mode");
  }
  return out;
}

inline Laid pool_laid(const Attrs& at, const Array& x, size_t axes) {
  const auto& format = at.get<std::string>("data_format");
  return {axes, x.shape.size() == axes + 2, !format.empty() && format.back() == 'C'};
}

// The windows of a call.
inline PoolAxes call_axes(const Attrs& at, size_t axes, bool with_dilation) {
  PoolAxes out(axes);
  for (size_t d = 0; d < axes; ++d) {
    out[d].taps = listed_at(at.get<Ints>("kernel_size"), d, 1);
    const auto& stride = at.get<std::optional<Ints>>("stride");
    out[d].stride = stride ? listed_at(*stride, d, 1) : out[d].taps;
    if (with_dilation) out[d].dilation = listed_at(at.get<Ints>("dilation"), d, 1);
    out[d].low = out[d].high = listed_at(at.get<Ints>("padding"), d, 0);
    out[d].ceil = at.get<bool>("ceil_mode");
  }
  return out;
}
inline PoolAxes adaptive_axes(const Attrs& at, size_t axes) {
  PoolAxes out(axes);
  for (size_t d = 0; d < axes; ++d) out[d].places = listed_at(at.get<Ints>("output_size"), d, 1);
  return out;
}

}  // namespace weft::suite
