// References of ops that make tensors.
#pragma once

#include "tests/op_suite/samples.h"

namespace weft::suite {

using weft::Dim;
using weft::DType;
using weft::Index;
using weft::IndexItem;
using weft::Ints;
using weft::Kind;
using weft::normalized;
using weft::ScalarValue;
using weft::Shape;
using weft::text;

// `value` everywhere, as the dtype holds it.
inline Array filled(DType dtype, const Shape& shape, double value) {
  Array out{dtype, {}, {}};
  for (Dim dim : shape) out.shape.push_back(dim.value());
  const bool exact = kind_of(dtype) <= Kind::kInteger;
  out.values.assign(
      static_cast<size_t>(count(out.shape)),
      exact ? ScalarValue{0, 0, static_cast<int64_t>(value)} : ScalarValue{value, 0, 0});
  return out;
}

// A number that an input of any real dtype holds.
inline double number_of(const Array& x) {
  return kind_of(x.dtype) <= Kind::kInteger ? static_cast<double>(x.values[0].i)
                                            : static_cast<double>(x.values[0].re);
}

}  // namespace weft::suite
