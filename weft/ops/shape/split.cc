// split: cuts a tensor into parts along an axis, as views.
#include "weft/op/apply.h"
#include "weft/ops/shape/parts.h"
#include "weft/ops/shape/shape_ops.h"

namespace weft {
namespace {

struct SplitAttrs {
  Shape sizes;
  int64_t axis = 0;
  static constexpr auto fields =
      fields_of(field("sizes", &SplitAttrs::sizes, "the size of each part", kRequired),
                field("axis", &SplitAttrs::axis, "the axis to cut"));
};

Types split_infer(const SplitAttrs& at, const InferCtx& cx, TypeSpan in) {
  const auto axis = static_cast<size_t>(cx.axis(at.axis, in[0].shape));
  cx.require(!at.sizes.empty(), "none", "sizes is empty; give the size of at least one part");
  Types out;
  Dim total = 0;
  for (const Dim size : at.sizes) {
    cx.require(decide_less(size, 0) != Tri::kYes, "negative", "sizes ", at.sizes,
               " has a negative size; sizes are at least 0");
    total += size;
    out.push_back(in[0]);
    out.back().shape[axis] = size;
  }
  cx.require(same(total, in[0].shape[axis]) != Tri::kNo, "total", "sizes ", at.sizes, " sum to ",
             total, ", but axis ", at.axis, " of shape ", in[0].shape, " has size ",
             in[0].shape[axis], "; they must be equal",
             at.sizes.size() == 1 ? ": sizes are those of all parts, as in (2, 2)" : "");
  return out;
}

ViewLayouts views(const SplitAttrs& at, const StridedLayout& x, TypeSpan out) {
  const int64_t stride = x.strides[static_cast<size_t>(normalized(at.axis, rank_of(x.shape)))];
  ViewLayouts parts;
  int64_t begin = 0;
  for (size_t i = 0; i < out.size(); ++i) {
    const bool empty = num_elements(out[i].shape) == Dim(0);
    parts.push_back({Ints(x.strides), empty ? 0 : begin * stride});
    begin += at.sizes[i].value();
  }
  return parts;
}

// A record keeps no outputs: the shape of a part without a cotangent comes from one that has it.
Tensors transpose(const SplitAttrs& at, const GradCtx& cx, TensorSpan g) {
  const Tensor* known = g.data();
  while (!known->defined()) ++known;
  Shape shape(known->shape());
  const auto axis = static_cast<size_t>(normalized(at.axis, known->rank()));
  std::vector<Tensor> parts;
  for (size_t i = 0; i < at.sizes.size(); ++i) {
    shape[axis] = at.sizes[i];
    const bool given = i < g.size() && g[i].defined();
    parts.push_back(given ? g[i] : zeros(shape, known->dtype(), cx.where));
  }
  return {concat(parts, at.axis, cx.where)};
}

}  // namespace

constinit const OpDef kSplit{
    .name = "split",
    .doc = "Cuts `axis` into parts of the given sizes, which must add up. Shares memory.",
    .inputs = {"x: any"},
    .outputs = {"parts...: like x"},
    .attrs = attrs_type<SplitAttrs>(),
    .laws = {Law{"none", "there is at least one part"}, Law{"negative", "sizes are at least 0"},
             Law{"total", "the sizes add up to the axis"}},
    .infer = rule<split_infer>(),
    .grad = derive::linear<transpose>(),
    .batch = batch::shift_axis("axis"),
    .kernel = kernel::view<views>(),
    .known_as =
        {Alias{"numpy",
               "split: there points to cut at or the number of parts, here the sizes of all parts"},
         Alias{"jax",
               "numpy.split: there points to cut at or the number of parts, here the sizes of all "
               "parts"},
         Alias{"torch", "split_with_sizes"},
         Alias{"torch", "split: ours takes the sizes of all parts, not the size of each"},
         Alias{"tf", "split: ours takes the sizes of all parts, not their number"}},
};

Tensors split(const Tensor& x, const Ints& sizes, int64_t axis, Where where) {
  return parts_of(x, Shape(sizes.begin(), sizes.end()), axis, where);
}

Tensors parts_of(const Tensor& x, const Shape& sizes, int64_t axis, Where where) {
  return apply_all(kSplit, inputs(x), SplitAttrs{sizes, axis}, where);
}

}  // namespace weft
