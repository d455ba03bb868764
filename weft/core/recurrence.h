// Recurrence: what the native loop of recurrent networks is given; its place is in native.h.
#pragma once

#include "weft/core/kernel_abi.h"
#include "weft/core/tensor.h"

namespace weft {

// What a step reads or writes: rows that lie `row` bytes apart, at `first` in the first step, at
// `then` in the second, and `time` bytes on in each step behind that.
struct StepOperand {
  char* first = nullptr;
  char* then = nullptr;
  int64_t time = 0;
  int64_t row = 0;
};

// Steps of time, one after the other: a row kernel, and a product with one weight.
struct Recurrence {
  static constexpr size_t kMaxOperands = 16;

  DType dtype = DType::kF32;  // or f64
  int64_t steps = 0;
  int64_t rows = 0;
  int64_t size = 0;  // of the kernel's rows
  MapKernel step = nullptr;
  InlineVector<StepOperand, kMaxOperands> operands;  // outputs of the kernel, then inputs
  // to[rows, n] += from[rows, k] weight[k, n], before the kernel of a step or behind it. The order
  // of summation is that of matmul, where `to` comes first.
  Tensor weight;
  StepOperand from, to;
  StepOperand base;  // if it has memory: to = base + from weight
  bool product_first = true;
  // What is copied at the beginning of a step.
  struct Copy {
    StepOperand from, to;
    int64_t bytes = 0;  // of a row
  };
  InlineVector<Copy, 3> copies;
};

}  // namespace weft
