// one_hot: a vector with a 1 for each class index.
#include <cstring>

#include "weft/core/native.h"
#include "weft/op/apply.h"
#include "weft/op/native_outputs.h"
#include "weft/op/staged_size.h"
#include "weft/ops/shape/indexing.h"
#include "weft/ops/shape/shape_ops.h"

namespace weft {
namespace {

struct OneHotAttrs {
  Shape num_classes{0};  // one size
  DType dtype = DType::kF32;
  static constexpr auto fields = fields_of(
      field("num_classes", &OneHotAttrs::num_classes, "the length of each vector", kRequired),
      field("dtype", &OneHotAttrs::dtype, "the dtype of the result"));
};

Types one_hot_infer(const OneHotAttrs& at, const InferCtx& cx, TypeSpan in) {
  Shape out = in[0].shape;
  out.push_back(only_size(cx, "num_classes", at.num_classes));
  return {{at.dtype, out}};
}

void run(const OneHotAttrs& at, TensorSpan in, TensorSpan out) {
  const Tensor& result = out[0];
  fill(result, 0);
  const Tensor one = Tensor::scalar(at.dtype, 1);
  const auto bytes = static_cast<size_t>(size_of(at.dtype));
  const int64_t num_classes = out[0].shape().back().value();
  const Tensor classes = packed(cast(in[0], DType::kI64));
  const auto* index = static_cast<const int64_t*>(classes.data());
  char* row = static_cast<char*>(result.writable_data());
  for (int64_t i = 0; i < classes.numel(); ++i) {
    if (index[i] < 0 || index[i] >= num_classes) {
      fail(Code::kIndex, "one_hot", "range", "class ", index[i], " at position ", i,
           " is out of range; classes go from 0 to ", num_classes - 1);
    }
    std::memcpy(row + static_cast<size_t>(index[i]) * bytes, one.data(), bytes);
    row += static_cast<size_t>(num_classes) * bytes;
  }
}

}  // namespace

constinit const OpDef kOneHot{
    .name = "one_hot",
    .doc =
        "For each class index in `x` a vector of `num_classes` zeros with a 1 at that place, along "
        "a new last axis. An index that is negative or too large raises.",
    .inputs = {"x: integer"},
    .outputs = {"out: any"},
    .attrs = attrs_type<OneHotAttrs>(),
    .laws = {Law{"negative", "the number of classes is at least 0"},
             Law{"size", "the number of classes is one"}, Law{"range", "classes are in range"}},
    .infer = rule<one_hot_infer>(),
    .grad = derive::not_differentiable("class indices are integers"),
    .batch = batch::broadcasting(),
    .kernel = kernel::native<run>(),
    .known_as = {Alias{"torch",
                       "nn.functional.one_hot: it gives int64, ours float32 unless dtype is given"},
                 Alias{"jax",
                       "nn.one_hot: a class out of range is a row of 0 there, and raises here"},
                 Alias{"tf", "one_hot"}},
};

Tensor one_hot(const Tensor& x, int64_t num_classes, DType dtype, Where where) {
  return apply(kOneHot, inputs(x), OneHotAttrs{{num_classes}, dtype}, where);
}

}  // namespace weft
