// Describes the tensors of attention to its kernels.
#include "weft/kernels/attention/bind.h"

#include "weft/kernels/attention/attention.h"
#include "weft/kernels/copy.h"
#include "weft/kernels/operand.h"

namespace weft::kernels {
namespace {

template <class T>
T* data_of(const Tensor& x) {
  return reinterpret_cast<T*>(operand_of(x).data);
}

// The mask, contiguous along all keys.
Tensor with_whole_rows(const Tensor& mask, int64_t keys) {
  const auto strides = mask.strides();
  if (mask.dim(4) == Dim(keys) && (strides[4] == 1 || keys == 1)) return mask;
  Shape shape(mask.shape());
  shape[4] = keys;
  const Tensor out = Tensor::empty(mask.dtype(), shape);
  Ints spread(strides);
  if (mask.dim(4) == Dim(1)) spread[4] = 0;
  copy(operand_of(out), operand_of(mask.view(shape, spread)));
  return out;
}

template <class T>
AttentionArgs<T> args_of(const Tensor& q, const Tensor& k, const Tensor& v, const Tensor& mask,
                         AttentionRule rule) {
  AttentionArgs<T> args{q.dim(0).value(), q.dim(1).value(), q.dim(2).value(), q.dim(3).value(),
                        k.dim(2).value(), q.dim(4).value(), v.dim(3).value(), data_of<T>(q),
                        data_of<T>(k),    data_of<T>(v),    nullptr,          {},
                        T(rule.scale),    rule.causal};
  if (!mask.defined()) return args;
  args.mask = data_of<T>(mask);
  for (int d = 0; d < 4; ++d) {
    args.mask_stride[d] = mask.dim(d) == Dim(1) ? 0 : mask.strides()[static_cast<size_t>(d)];
  }
  return args;
}

}  // namespace

void attention_tensor(const Tensor& out, const Tensor& greatest, const Tensor& total,
                      const Tensor& q, const Tensor& k, const Tensor& v, const Tensor& mask,
                      AttentionRule rule) {
  const Tensor rows = mask.defined() ? with_whole_rows(mask, k.dim(2).value()) : mask;
  const auto run = [&]<class T>(T) {
    attention(args_of<T>(q, k, v, rows, rule),
              AttentionOut<T>{data_of<T>(out), data_of<T>(greatest), data_of<T>(total)});
  };
  q.dtype() == DType::kF64 ? run(double{}) : run(float{});
}

void attention_vjp_tensor(const Tensor& dq, const Tensor& dk, const Tensor& dv, const Tensor& q,
                          const Tensor& k, const Tensor& v, const Tensor& mask, const Tensor& g,
                          const Tensor& stats, AttentionRule rule) {
  const Tensor rows = mask.defined() ? with_whole_rows(mask, k.dim(2).value()) : mask;
  const auto run = [&]<class T>(T) {
    attention_vjp(args_of<T>(q, k, v, rows, rule),
                  AttentionCotangents<T>{data_of<T>(g), data_of<T>(stats), data_of<T>(dq),
                                         data_of<T>(dk), data_of<T>(dv)});
  };
  q.dtype() == DType::kF64 ? run(double{}) : run(float{});
}

}  // namespace weft::kernels
