// LAMB: moments of all parameters in one pass, then a direction and two norms for each.
#include "weft/optim/lamb.h"

#include "weft/op/assign_updated.h"
#include "weft/op/builtin.h"
#include "weft/ops/math/operators.h"
#include "weft/ops/optim/optim.h"
#include "weft/optim/clip.h"

namespace weft::optim {

LAMB::LAMB(Parameters parameters, LAMBOptions o)
    : Optimizer({.name = "LAMB",
                 .options = {{"lr", o.lr},
                             {"beta1", o.beta1, Range::kFraction},
                             {"beta2", o.beta2, Range::kFraction},
                             {"eps", o.eps},
                             {"weight_decay", o.weight_decay}},
                 .slots = {{"mean"}, {"square"}},
                 .maximize = o.maximize},
                parameters) {}

void LAMB::update(const Group& group, TensorSpan gradients, Where where) {
  const Betas b(group);
  for (const Group::Part& part : group.parts()) {
    const DType wide = compute_of(part.dtype);
    const auto in_dtype = [&](const Tensor& t) { return cast(t, wide, where); };
    const size_t count = part.indices.size();
    std::vector<Tensor> own;
    for (const size_t i : part.indices) own.push_back(in_dtype(gradients[i]));
    const Tensors scalars = {in_dtype(scale()), in_dtype(b.gain1), in_dtype(b.beta2),
                             in_dtype(b.gain2)};
    const std::span<const Variable> moments = std::span(part.places).subspan(count);
    assign_updated(kMomentsUpdate, scalars, own, moments, where);
    const Tensor bias1 = in_dtype(b.bias1), bias2 = in_dtype(b.bias2), eps = in_dtype(group["eps"]);
    const Tensor decay = in_dtype(group["weight_decay"]), lr = in_dtype(group["lr"]);
    for (size_t i = 0; i < count; ++i) {
      const Tensor p = in_dtype(now(part.places[i]));
      const Tensor root = sqrt(now(moments[count + i]) / bias2) + eps;
      const Tensor pull = p * decay;
      const Tensor direction = now(moments[i]) / bias1 / root + pull;
      const Tensor length = norm_of(p), step = norm_of(direction);
      const Tensor one = Tensor::scalar(wide, 1);
      const Tensor is_long = length > 0.0, steps = step > 0.0, quotient = length / step;
      const Tensor ratio = weft::where(is_long & steps, quotient, one);
      part.places[i].assign(cast(p - direction * (lr * ratio), part.dtype, where), where);
    }
  }
}

}  // namespace weft::optim
