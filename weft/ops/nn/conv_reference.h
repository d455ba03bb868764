// Convolution in long double, by its definition: the reference of the tests of conv.
#pragma once

#include "tests/op_suite/samples.h"

namespace weft::suite {

// Lists have a number for each axis of space.
struct ConvForm {
  std::vector<int64_t> stride, dilation, low, high, input_dilation;
  int64_t groups = 1;
};

inline std::vector<int64_t> listed(const Ints& given, size_t axes, int64_t otherwise) {
  if (given.empty()) return std::vector<int64_t>(axes, otherwise);
  return std::vector<int64_t>(given.begin(), given.end());
}

inline ConvForm conv_form(const Attrs& at, size_t axes) {
  return {listed(at.get<Ints>("stride"), axes, 1),
          listed(at.get<Ints>("dilation"), axes, 1),
          listed(at.get<Ints>("low"), axes, 0),
          listed(at.get<Ints>("high"), axes, 0),
          listed(at.get<Ints>("input_dilation"), axes, 1),
          at.get<int64_t>("groups")};
}

inline int64_t low_bits(DType dtype, int64_t value) {
  switch (dtype) {
    case DType::kU8: return static_cast<uint8_t>(value);
    case DType::kI8: return static_cast<int8_t>(value);
    case DType::kU16: return static_cast<uint16_t>(value);
    case DType::kI16: return static_cast<int16_t>(value);
    case DType::kU32: return static_cast<uint32_t>(value);
    case DType::kI32: return static_cast<int32_t>(value);
    default: return value;
  }
}

inline void add_product(ScalarValue& to, const ScalarValue& a, const ScalarValue& b) {
  to.re += a.re * b.re - a.im * b.im;
  to.im += a.re * b.im + a.im * b.re;
  to.i = static_cast<int64_t>(static_cast<uint64_t>(to.i) +
                              static_cast<uint64_t>(a.i) * static_cast<uint64_t>(b.i));
}

// Calls body(x or zero, y's position, w's position) for each term of x [n, space.., channels],
// y [n, places.., filters] and w [taps.., channels, filters].
template <class Body>
void for_each_term(const ConvForm& form, const Array& x, const std::vector<int64_t>& y,
                   const std::vector<int64_t>& w, const Body& body) {
  const size_t axes = x.shape.size() - 2;
  const int64_t channels = w[axes], filters = w[axes + 1] / form.groups;
  for (int64_t i = 0; i < count(y); ++i) {
    const std::vector<int64_t> out = unravel(i, y);
    const int64_t group = out.back() / filters;
    const std::vector<int64_t> taps(w.begin(), w.end() - 1);
    for (int64_t j = 0; j < count(taps); ++j) {
      std::vector<int64_t> k = unravel(j, taps), at(out);
      at.back() = group * channels + k.back();
      bool outside = false, between = false;
      for (size_t d = 0; d < axes; ++d) {
        const int64_t p = out[d + 1] * form.stride[d] + k[d] * form.dilation[d] - form.low[d];
        between = between || p % form.input_dilation[d] != 0;
        at[d + 1] = p / form.input_dilation[d];
        outside = outside || p < 0 || at[d + 1] >= x.shape[d + 1];
      }
      if (between) continue;
      k.push_back(out.back());
      const ScalarValue value =
          outside ? ScalarValue{} : x.values[static_cast<size_t>(ravel(at, x.shape))];
      body(value, static_cast<size_t>(i), static_cast<size_t>(ravel(k, w)));
    }
  }
}

inline std::vector<int64_t> conv_shape(const ConvForm& form, const std::vector<int64_t>& x,
                                       const std::vector<int64_t>& w) {
  std::vector<int64_t> out{x[0]};
  for (size_t d = 0; d + 2 < x.size(); ++d) {
    const int64_t extent = (x[d + 1] - 1) * form.input_dilation[d] + form.low[d] + form.high[d];
    out.push_back((extent - (w[d] - 1) * form.dilation[d]) / form.stride[d] + 1);
  }
  out.push_back(w.back());
  return out;
}

inline Array conv_of(const ConvForm& form, const Array& x, const Array& w) {
  Array out = like(x, conv_shape(form, x.shape, w.shape));
  for_each_term(form, x, out.shape, w.shape, [&](const ScalarValue& a, size_t to, size_t from) {
    add_product(out.values[to], a, w.values[from]);
  });
  for (ScalarValue& v : out.values) v.i = low_bits(out.dtype, v.i);
  return out;
}

}  // namespace weft::suite
