// NativeLoop: a scan described to native::recurrence, operand by operand.
#pragma once

#include "weft/core/native.h"
#include "weft/core/recurrence.h"
#include "weft/op/op.h"

namespace weft::recurrent {

// Memory for a cotangent that begins as 0: output_in(dtype, out), filled with 0.
Tensor zero_output_in(DType dtype, const Tensor& out);

// Operands are given in the order of the step's outputs and inputs. All tensors have one dtype,
// float32 or float64, and live on until run().
class NativeLoop {
 public:
  // Over time from the first step on, or from the last one backwards; `like` is [time, batch,
  // size].
  NativeLoop(const OpDef& step, const Tensor& like, bool backwards = false);

  // Part `i` of `count` of x[t], for x [time, batch, count * size].
  void at_time(const Tensor& x, int64_t i = 0, int64_t count = 1);
  // The same memory [batch, count * size] in every step, or one row for all of the batch.
  void always(const Tensor& x, int64_t i = 0, int64_t count = 1);
  // The states [time, batch, size] before each step, which begin with `first`.
  void before(const Tensor& first, const Tensor& states);
  // bool[time, batch, 1], or undefined: all true.
  void mask(const Tensor& mask);

  // `count` parts of x[t] from part `i` on, or of one row x for all, to parts of to[t] from `to_i`
  // on, at the beginning of a step. `to` is [time, batch, ..], or [batch, ..] for the same memory
  // in each step; parts are `size` long.
  void copy(const Tensor& x, int64_t i, int64_t count, const Tensor& to, int64_t to_i);
  // to[t] += (the states before each step) weight^T, ahead of the step.
  void multiply_before(const Tensor& first, const Tensor& states, const Tensor& weight,
                       const Tensor& to);
  // The same, but to[t] is x[t] and the product: it need not hold anything.
  void add_product_to(const Tensor& x) { loop_.base = part(kept(x), 0); }
  // sum += x[t] weight, behind the step.
  void multiply_behind(const Tensor& x, const Tensor& weight, const Tensor& sum);

  void run() const { native::recurrence(loop_); }

 private:
  StepOperand timed(const Tensor& x, int64_t i, int64_t count);
  StepOperand fixed(const Tensor& x, int64_t i, int64_t count);
  StepOperand part(const Tensor& x, int64_t i);
  StepOperand previous(const Tensor& first, const Tensor& states);
  const Tensor& kept(const Tensor& x);

  Recurrence loop_;
  bool backwards_;
  Tensors kept_;  // copies with contiguous rows
};

}  // namespace weft::recurrent
