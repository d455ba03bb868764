// Arrays of the suite: random samples, conversion to and from tensors, comparison.
#pragma once

#include <cstdint>

#include "tests/op_suite/samples.h"
#include "weft/core/tensor.h"
#include "weft/op/registry.h"

namespace weft::suite {

// A small generator of our own, so that samples are the same on every machine.
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed * 0x9e3779b97f4a7c15ull + 1) {}
  double uniform(double low, double high);
  uint64_t next();

 private:
  uint64_t state_;
};

// The values of a sample in `dtype`, rounded to it.
Array make_array(const Arg& arg, DType dtype, Random& random);

Tensor to_tensor(const Array& array);
Array to_array(const Tensor& tensor);

ScalarValue value_of(DType dtype, double re, double im = 0);  // rounded to dtype

// The same elements behind other strides. `layout`: 0 reversed axes in memory, 1 every second
// element, 2 negative.
Tensor with_layout(const Array& array, int layout);
inline constexpr int kNumLayouts = 3;

bool same_bits(const Tensor& a, const Tensor& b);

// Where two arrays differ by more than `tolerance` relative to |b| + 1, or differ in NaN, infinity
// or (if asked) the sign of zero; empty if they agree.
std::string difference(const Array& got, const Array& wanted, double tolerance,
                       bool zero_signs = false);

// Calls the op or composite on concrete tensors.
Tensors run(const OpEntry& entry, TensorSpan in, const void* attrs);

// The one table of tolerances: relative to |value| + 1.
double tolerance_of(DType dtype);

}  // namespace weft::suite
