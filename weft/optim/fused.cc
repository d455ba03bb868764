// Updates by one op: scalars in the dtype of the parameters, one call for each of their dtypes.
#include "weft/optim/fused.h"

#include "weft/op/apply.h"
#include "weft/op/assign_updated.h"
#include "weft/op/builtin.h"
#include "weft/ops/math/operators.h"

namespace weft::optim {
namespace {

// Parameters of 16 bits: the op computes in float32, in which their slots are.
void update_narrow(const OpDef& op, TensorSpan scalars, const Group::Part& part,
                   TensorSpan gradients, Where where) {
  const size_t count = part.indices.size();
  const auto wide = [&](const Tensor& t) { return cast(t, DType::kF32, where); };
  Tensors in(scalars);
  for (size_t i = 0; i < count; ++i) in.push_back(wide(now(part.places[i])));
  for (const Tensor& gradient : gradients) in.push_back(wide(gradient));
  for (size_t i = count; i < part.places.size(); ++i) in.push_back(now(part.places[i]));
  const Tensors out = apply_all(op, in, &kNoAttrs, where);
  for (size_t i = 0; i < part.places.size(); ++i) {
    part.places[i].assign(i < count ? cast(out[i], part.dtype, where) : out[i], where);
  }
}

}  // namespace

void apply_update(const OpDef& op, TensorSpan scalars, const Group& group, TensorSpan gradients,
                  Where where) {
  for (const Group::Part& part : group.parts()) {
    Tensors in_dtype, own;
    for (const Tensor& scalar : scalars) {
      in_dtype.push_back(cast(scalar, compute_of(part.dtype), where));
    }
    TensorSpan part_gradients = gradients;
    if (group.parts().size() > 1) {
      for (const size_t i : part.indices) own.push_back(gradients[i]);
      part_gradients = own;
    }
    if (compute_of(part.dtype) == part.dtype) {
      assign_updated(op, in_dtype, part_gradients, part.places, where);
    } else {
      update_narrow(op, in_dtype, part, part_gradients, where);
    }
  }
}

void FusedOptimizer::update(const Group& group, TensorSpan gradients, Where where) {
  Tensors all = {scale()};
  for (const Tensor& scalar : scalars(group)) all.push_back(scalar);
  apply_update(op_, all, group, gradients, where);
}

Betas::Betas(const Group& group) {
  const Tensor beta1 = group["beta1"], t = group.t();
  beta2 = group["beta2"];
  gain1 = 1.0 - beta1;
  gain2 = 1.0 - beta2;
  bias1 = 1.0 - pow(beta1, t);
  bias2 = 1.0 - pow(beta2, t);
}

Decay::Decay(const Group& group, bool is_decoupled) {
  const Tensor decay = group["weight_decay"];
  keep = is_decoupled ? 1.0 - group["lr"] * decay : Tensor::scalar(DType::kF64, 1);
  add = is_decoupled ? Tensor::scalar(DType::kF64, 0) : decay;
}

}  // namespace weft::optim
