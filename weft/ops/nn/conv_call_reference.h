// References of conv1d .. conv_transpose3d: the layouts of other frameworks brought to conv's.
#pragma once

#include "weft/ops/nn/conv_reference.h"

namespace weft::suite {

// Axis i of the result is axis order[i] of x.
inline Array permuted(const Array& x, const std::vector<int64_t>& order) {
  std::vector<int64_t> shape, from(order.size());
  for (const int64_t axis : order) shape.push_back(x.shape[static_cast<size_t>(axis)]);
  Array out = like(x, shape);
  for (size_t i = 0; i < out.values.size(); ++i) {
    const std::vector<int64_t> at = unravel(static_cast<int64_t>(i), shape);
    for (size_t d = 0; d < order.size(); ++d) from[static_cast<size_t>(order[d])] = at[d];
    out.values[i] = x.values[static_cast<size_t>(ravel(from, x.shape))];
  }
  return out;
}

inline std::vector<int64_t> spread(const Ints& list, size_t axes) {
  return listed(list.size() == 1 ? Ints(axes, list[0]) : list, axes, 0);
}

// x as [batch, space.., channels]; `restore` undoes it.
struct Laid {
  size_t axes;
  bool has_batch, channels_last;

  Array of(Array x) const {
    if (!has_batch) x.shape.insert(x.shape.begin(), 1);
    if (channels_last) return x;
    std::vector<int64_t> order{0};
    for (size_t d = 0; d < axes; ++d) order.push_back(static_cast<int64_t>(d) + 2);
    order.push_back(1);
    return permuted(x, order);
  }
  Array restored(Array y) const {
    if (!channels_last) {
      std::vector<int64_t> order{0, static_cast<int64_t>(axes) + 1};
      for (size_t d = 0; d < axes; ++d) order.push_back(static_cast<int64_t>(d) + 1);
      y = permuted(y, order);
    }
    if (!has_batch) y.shape.erase(y.shape.begin());
    return y;
  }
};

inline Array with_bias(Array y, const Arrays& in) {
  if (in.size() < 3) return y;
  const size_t filters = in[2].values.size();
  for (size_t i = 0; i < y.values.size(); ++i) {
    const ScalarValue& b = in[2].values[i % filters];
    y.values[i].re += b.re;
    y.values[i].im += b.im;
    y.values[i].i = low_bits(y.dtype, static_cast<int64_t>(static_cast<uint64_t>(y.values[i].i) +
                                                           static_cast<uint64_t>(b.i)));
  }
  return y;
}

inline Laid laid(const Attrs& at, const Arrays& in) {
  const size_t axes = in[1].shape.size() - 2;
  const auto& format = at.get<std::string>("data_format");
  return {axes, in[0].shape.size() == axes + 2, !format.empty() && format.back() == 'C'};
}

inline Arrays conv_call_reference(const Attrs& at, const Arrays& in) {
  const Laid layout = laid(at, in);
  const size_t axes = layout.axes;
  const Array x = layout.of(in[0]);
  std::vector<int64_t> order;
  for (size_t d = 0; d < axes; ++d) order.push_back(static_cast<int64_t>(d) + 2);
  for (const int64_t d : {1, 0}) order.push_back(d);
  ConvForm form{spread(at.get<Ints>("stride"), axes), spread(at.get<Ints>("dilation"), axes),
                std::vector<int64_t>(axes, 0),        std::vector<int64_t>(axes, 0),
                std::vector<int64_t>(axes, 1),        at.get<int64_t>("groups")};
  const Ints& padding = at.get<Ints>("padding");
  const auto& word = at.get<std::string>("auto_padding");
  for (size_t d = 0; d < axes; ++d) {
    const int64_t size = x.shape[d + 1], taps = in[1].shape[d + 2], stride = form.stride[d];
    if (word == "same") {
      const int64_t places = (size + stride - 1) / stride;
      const int64_t needed = (places - 1) * stride + (taps - 1) * form.dilation[d] + 1 - size;
      form.low[d] = std::max<int64_t>(needed, 0) / 2;
      form.high[d] = std::max<int64_t>(needed, 0) - form.low[d];
    } else if (word.empty()) {
      const bool pairs = padding.size() == 2 * axes;
      form.low[d] = padding.size() == 1 ? padding[0] : padding[pairs ? 2 * d : d];
      form.high[d] = padding.size() == 1 ? padding[0] : padding[pairs ? 2 * d + 1 : d];
    }
  }
  return {layout.restored(with_bias(conv_of(form, x, permuted(in[1], order)), in))};
}

// Each element of x is spread over the places its window covers.
inline Arrays conv_transpose_reference(const Attrs& at, const Arrays& in) {
  const Laid layout = laid(at, in);
  const size_t axes = layout.axes;
  const Array x = layout.of(in[0]);
  const std::vector<int64_t>& w = in[1].shape;
  const int64_t groups = at.get<int64_t>("groups"), filters = w[1], channels = w[0] / groups;
  const auto stride = spread(at.get<Ints>("stride"), axes),
             padding = spread(at.get<Ints>("padding"), axes),
             more = spread(at.get<Ints>("output_padding"), axes),
             dilation = spread(at.get<Ints>("dilation"), axes);
  std::vector<int64_t> shape{x.shape[0]};
  for (size_t d = 0; d < axes; ++d) {
    shape.push_back((x.shape[d + 1] - 1) * stride[d] - 2 * padding[d] +
                    dilation[d] * (w[d + 2] - 1) + more[d] + 1);
  }
  shape.push_back(filters * groups);
  Array out = like(x, shape);
  for (int64_t i = 0; i < count(x.shape); ++i) {
    for (int64_t j = 0; j < count(w); ++j) {
      const std::vector<int64_t> from = unravel(i, x.shape), tap = unravel(j, w);
      if (from.back() != tap[0]) continue;
      std::vector<int64_t> to = from;
      to.back() = tap[0] / channels * filters + tap[1];
      bool inside = true;
      for (size_t d = 0; d < axes; ++d) {
        to[d + 1] = from[d + 1] * stride[d] + tap[d + 2] * dilation[d] - padding[d];
        inside = inside && 0 <= to[d + 1] && to[d + 1] < shape[d + 1];
      }
      if (!inside) continue;
      add_product(out.values[static_cast<size_t>(ravel(to, shape))],
                  x.values[static_cast<size_t>(i)], in[1].values[static_cast<size_t>(j)]);
    }
  }
  for (ScalarValue& v : out.values) v.i = low_bits(out.dtype, v.i);
  return {layout.restored(with_bias(out, in))};
}

}  // namespace weft::suite
