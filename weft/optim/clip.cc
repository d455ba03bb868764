// Clipping by global norm and by value.
#include "weft/optim/clip.h"

#include "weft/base/fail_at.h"
#include "weft/op/builtin.h"
#include "weft/op/levels.h"
#include "weft/ops/linalg/linalg.h"
#include "weft/ops/math/operators.h"

namespace weft::optim {
namespace {

// Keeps a norm that is just above the limit, or 0, from a quotient above 1.
constexpr double kTiny = 1e-6;

void check_limit(std::string_view who, std::string_view name, double value, Where where) {
  if (!(value >= 0)) {
    fail_at(where, Code::kInvalid, who, name, name, " is ", value, "; it is 0 or more");
  }
}

struct Gradients {
  std::vector<Variable> places;
  Tensors values;

  explicit Gradients(std::span<const Variable> parameters) {
    for (const Variable& parameter : parameters) {
      const Variable gradient = parameter.grad();
      if (!gradient.defined()) continue;
      places.push_back(gradient);
      values.push_back(gradient.value());
    }
  }
  void assign(TensorSpan clipped, Where where) const {
    for (size_t i = 0; i < places.size(); ++i) places[i].assign(clipped[i], where);
  }
};

}  // namespace

Tensor norm_of(const Tensor& x) {
  return linalg::vector_norm(reshape(x, {num_elements(x.shape())}));
}

Tensor global_norm(TensorSpan tensors, Where where) {
  if (tensors.empty()) return Tensor::scalar(DType::kF32, 0);
  DType widest = compute_of(tensors[0].dtype());
  for (const Tensor& t : tensors) widest = *promote(widest, t.dtype());
  std::vector<Tensor> norms;
  for (const Tensor& t : tensors) {
    norms.push_back(cast(norm_of(cast(t, compute_of(t.dtype()), where)), widest, where));
  }
  return norm_of(stack(norms, 0, where));
}

ClippedByNorm clip_by_global_norm(TensorSpan tensors, double max_norm, Where where) {
  check_limit("clip_by_global_norm", "max_norm", max_norm, where);
  ClippedByNorm out;
  out.norm = global_norm(tensors, where);
  const Tensor one = Tensor::scalar(out.norm.dtype(), 1);
  const Tensor factor = minimum(max_norm / (out.norm + kTiny), one);
  for (const Tensor& t : tensors) {
    out.tensors.push_back(multiply(t, cast(factor, t.dtype(), where), where));
  }
  return out;
}

Tensors clip_by_value(TensorSpan tensors, double limit, Where where) {
  check_limit("clip_by_value", "limit", limit, where);
  Tensors out;
  for (const Tensor& t : tensors) {
    out.push_back(minimum(maximum(t, Tensor(-limit), where), Tensor(limit), where));
  }
  return out;
}

Tensor clip_grad_norm(std::span<const Variable> parameters, double max_norm, Where where) {
  const NoGrad no_grad;
  const Gradients gradients(parameters);
  check_limit("clip_grad_norm", "max_norm", max_norm, where);
  const ClippedByNorm clipped = clip_by_global_norm(gradients.values, max_norm, where);
  gradients.assign(clipped.tensors, where);
  return clipped.norm;
}

void clip_grad_value(std::span<const Variable> parameters, double limit, Where where) {
  const NoGrad no_grad;
  const Gradients gradients(parameters);
  check_limit("clip_grad_value", "limit", limit, where);
  gradients.assign(clip_by_value(gradients.values, limit, where), where);
}

}  // namespace weft::optim
