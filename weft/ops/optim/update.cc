// What all updates share: their laws, and their meaning by ordinary ops.
#include "weft/ops/optim/update.h"

namespace weft {

Types update_types(UpdateForm form, const InferCtx& cx, TypeSpan in) {
  const size_t tensors = in.size() < form.scalars ? 0 : in.size() - form.scalars;
  cx.require(tensors > 0 && tensors % form.lists == 0, "count", "got ", in.size(),
             " inputs; they are ", form.scalars, " scalars and ", form.lists,
             " lists of equally many tensors");
  const size_t count = tensors / form.lists;
  for (size_t i = 0; i < form.scalars; ++i) {
    cx.require(in[i].shape.empty(), "scalar", "input ", i, " has shape ", in[i].shape,
               "; the first ", form.scalars, " are scalars");
  }
  for (size_t i = form.scalars; i < in.size(); ++i) {
    const Shape& wanted = in[form.scalars + (i - form.scalars) % count].shape;
    cx.require(same(in[i].shape, wanted) != Tri::kNo, "shape", "input ", i, " has shape ",
               in[i].shape, ", but the parameter it belongs to has shape ", wanted,
               "; they must be equal");
  }
  Types out;
  for (size_t k = 0; k + 1 < form.lists; ++k) {
    for (size_t i = 0; i < count; ++i) out.push_back(in[form.scalars + i]);
  }
  return out;
}

Tensors update_formula(UpdateForm form, TensorSpan in, void (*meaning)(const Tensor*, Tensor*)) {
  const size_t count = (in.size() - form.scalars) / form.lists, outputs = form.lists - 1;
  // 16-bit floats compute in f32, as kernels do.
  const DType dtype = in[0].dtype(), wide = compute_of(dtype);
  const auto widened = [&](const Tensor& t) { return dtype == wide ? t : cast(t, wide); };
  std::vector<Tensor> one(form.scalars + form.lists), results(outputs);
  for (size_t k = 0; k < form.scalars; ++k) one[k] = widened(in[k]);
  Tensors out(outputs * count);
  for (size_t i = 0; i < count; ++i) {
    for (size_t k = 0; k < form.lists; ++k) {
      one[form.scalars + k] = widened(in[form.scalars + k * count + i]);
    }
    meaning(one.data(), results.data());
    for (size_t k = 0; k < outputs; ++k) {
      out[k * count + i] = dtype == wide ? results[k] : cast(results[k], dtype);
    }
  }
  return out;
}

}  // namespace weft
