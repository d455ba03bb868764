// cross_entropy.labels: the numbers of classes, seen to be in range.
#include "weft/op/apply.h"
#include "weft/ops/loss/classes.h"
#include "weft/ops/shape/shape_ops.h"

namespace weft {
namespace {

struct ClassLabelsAttrs {
  int64_t classes = 0;
  static constexpr auto fields =
      fields_of(field("classes", &ClassLabelsAttrs::classes, "how many classes there are"));
};

Types same_type(const ClassLabelsAttrs&, const InferCtx&, TypeSpan in) { return {in[0]}; }

[[noreturn]] void fail_label(int64_t label, int64_t place, const Tensor& x, int64_t classes) {
  Ints position(static_cast<size_t>(x.rank()), 0);
  for (int64_t d = x.rank() - 1; d >= 0; --d) {
    position[static_cast<size_t>(d)] = place % x.dim(d).value();
    place /= x.dim(d).value();
  }
  fail(Code::kIndex, "cross_entropy.labels", "range", "target ", label, " at position ", position,
       " is out of range; classes go from 0 to ", classes - 1);
}

Tensors run(const ClassLabelsAttrs& at, TensorSpan in, TypeSpan) {
  const Tensor labels = packed(cast(in[0], DType::kI64));
  const auto* const label = static_cast<const int64_t*>(labels.data());
  const auto classes = static_cast<uint64_t>(at.classes);
  for (int64_t i = 0; i < labels.numel(); ++i) {
    if (static_cast<uint64_t>(label[i]) >= classes) [[unlikely]]
      fail_label(label[i], i, in[0], at.classes);
  }
  return {in[0]};
}

}  // namespace

constinit const OpDef kClassLabels{
    .name = "cross_entropy.labels",
    .module = "nn",
    .doc =
        "`x` itself: the number of a class for each example, from 0 to `classes - 1`; another one "
        "raises. What cross_entropy and nll_loss take their targets through. Shares memory.",
    .inputs = {"x: integer"},
    .outputs = {"out: like x"},
    .attrs = attrs_type<ClassLabelsAttrs>(),
    .laws = {Law{"range", "numbers of classes are in range"}},
    .infer = rule<same_type>(),
    .grad = derive::not_differentiable("numbers of classes are integers"),
    .batch = batch::broadcasting(),
    // Not a view, though it shares memory: it looks at the contents, each time.
    .kernel = kernel::host<run>(),
};

Tensor class_labels(const Tensor& x, int64_t classes) {
  return apply(kClassLabels, inputs(x), ClassLabelsAttrs{classes}, Where{});
}

}  // namespace weft
