// Describes the tensors of a scan to the native loop: where each step finds its rows.
#include "weft/ops/recurrent/loop.h"

#include "weft/base/error.h"
#include "weft/op/kernel_key.h"
#include "weft/op/native_outputs.h"
#include "weft/ops/shape/shape_ops.h"

namespace weft::recurrent {
namespace {

char* bytes_of(const Tensor& x, int64_t element) {
  return static_cast<char*>(const_cast<void*>(x.data())) + element * size_of(x.dtype());
}

// The same values with the last axis contiguous; what is broadcast along other axes stays so.
Tensor with_rows(const Tensor& x) {
  const auto last = static_cast<size_t>(x.rank() - 1);
  if (x.strides()[last] == 1 || x.dim(-1) == Dim(1)) return x;
  Shape shape(x.shape());
  for (size_t d = 0; d < last; ++d) {
    if (x.strides()[d] == 0) shape[d] = 1;
  }
  const Tensor copy = Tensor::empty(x.dtype(), shape);
  native::copy(copy, x.view(shape, x.strides()));
  Ints strides(copy.strides());
  for (size_t d = 0; d < last; ++d) {
    if (x.strides()[d] == 0) strides[d] = 0;
  }
  return copy.view(x.shape(), strides);
}

MapKernel kernel_of(const OpDef& step, DType dtype) {
  const DType dtypes[] = {dtype};
  const KernelEntry* const entry = find_kernel_entry(kernel_key(entry_of(step), dtypes, "row"));
  WEFT_ASSERT(entry != nullptr && entry->scratch == 0, step.name);
  return reinterpret_cast<MapKernel>(const_cast<void*>(find_kernel(entry->key)));
}

}  // namespace

Tensor zero_output_in(DType dtype, const Tensor& out) {
  const Tensor zero = output_in(dtype, out);
  fill(zero, 0);
  return zero;
}

NativeLoop::NativeLoop(const OpDef& step, const Tensor& like, bool backwards)
    : backwards_(backwards) {
  loop_.dtype = like.dtype();
  loop_.steps = like.dim(0).value();
  loop_.rows = like.dim(1).value();
  loop_.size = like.dim(2).value();
  loop_.step = kernel_of(step, like.dtype());
}

const Tensor& NativeLoop::kept(const Tensor& x) {
  kept_.push_back(with_rows(x));
  return kept_.back();
}

StepOperand NativeLoop::timed(const Tensor& x, int64_t i, int64_t count) {
  const int64_t size = size_of(x.dtype()), time = x.strides()[0] * size;
  const int64_t step = backwards_ ? -time : time;
  char* const first = bytes_of(
      x, i * (x.dim(2).value() / count) + (backwards_ ? (loop_.steps - 1) * x.strides()[0] : 0));
  return {first, loop_.steps > 1 ? first + step : first, step, x.strides()[1] * size};
}

StepOperand NativeLoop::fixed(const Tensor& x, int64_t i, int64_t count) {
  char* const at = bytes_of(x, i * (x.dim(-1).value() / count));
  return {at, at, 0, x.rank() > 1 ? x.strides()[0] * size_of(x.dtype()) : 0};
}

// States are contiguous: they are ours.
StepOperand NativeLoop::previous(const Tensor& first, const Tensor& states) {
  const int64_t size = size_of(states.dtype()), row = states.strides()[1] * size;
  const Tensor& start = kept(packed(first));
  return {bytes_of(start, 0), bytes_of(states, 0), states.strides()[0] * size, row};
}

void NativeLoop::at_time(const Tensor& x, int64_t i, int64_t count) {
  loop_.operands.push_back(timed(kept(x), i, count));
}
void NativeLoop::always(const Tensor& x, int64_t i, int64_t count) {
  loop_.operands.push_back(fixed(kept(x), i, count));
}
void NativeLoop::before(const Tensor& first, const Tensor& states) {
  loop_.operands.push_back(previous(first, states));
}

void NativeLoop::mask(const Tensor& mask) {
  static constexpr bool kTrue = true;
  char* const all = reinterpret_cast<char*>(const_cast<bool*>(&kTrue));
  loop_.operands.push_back(mask.defined() ? timed(kept(mask), 0, 1) : StepOperand{all, all, 0, 0});
}

StepOperand NativeLoop::part(const Tensor& x, int64_t i) {
  const int64_t count = loop_.size == 0 ? 1 : x.dim(-1).value() / loop_.size;
  return x.rank() == 3 ? timed(x, i, count) : fixed(x, i, count);
}

void NativeLoop::copy(const Tensor& x, int64_t i, int64_t count, const Tensor& to, int64_t to_i) {
  const StepOperand from = part(kept(x), i);
  loop_.copies.push_back({from, part(to, to_i), count * loop_.size * size_of(x.dtype())});
}

void NativeLoop::multiply_before(const Tensor& first, const Tensor& states, const Tensor& weight,
                                 const Tensor& to) {
  loop_.weight = weight.view(Shape{weight.dim(1), weight.dim(0)},
                             Ints{weight.strides()[1], weight.strides()[0]});
  loop_.from = previous(first, states);
  loop_.to = part(to, 0);
  loop_.product_first = true;
}

void NativeLoop::multiply_behind(const Tensor& x, const Tensor& weight, const Tensor& sum) {
  loop_.weight = weight;
  loop_.from = timed(x, 0, 1);
  loop_.to = fixed(sum, 0, 1);
  loop_.product_first = false;
}

}  // namespace weft::recurrent
