// broadcast_arrays, meshgrid and atleast_1d, 2d, 3d: tensors brought to one shape or rank.
#include <algorithm>

#include "weft/op/apply.h"
#include "weft/ops/shape/shape_ops.h"

namespace weft {
namespace {

Tensors broadcasted(const NoAttrs&, TensorSpan in) {
  Shape shape;
  for (const Tensor& x : in) shape = InferCtx{"broadcast_arrays"}.broadcast(shape, x.shape());
  Tensors out;
  for (const Tensor& x : in) out.push_back(broadcast_to(x, shape));
  return out;
}

struct MeshgridAttrs {
  std::string indexing = "xy";
  static constexpr auto fields =
      fields_of(field("indexing", &MeshgridAttrs::indexing,
                      "\"ij\": axis i is that of input i; \"xy\": the first two are exchanged"));
};

Tensors gridded(const MeshgridAttrs& at, TensorSpan in) {
  const InferCtx cx{"meshgrid"};
  const bool known = at.indexing == "xy" || at.indexing == "ij";
  cx.require(known, "indexing", "indexing is \"", at.indexing, "\"; it must be \"xy\" or \"ij\"");
  Shape shape;
  for (size_t i = 0; i < in.size(); ++i) {
    cx.require(in[i].rank() <= 1, "rank", "input ", i, " has shape ", in[i].shape(),
               "; inputs have rank 0 or 1");
    shape.push_back(num_elements(in[i].shape()));
  }
  const bool exchanged = at.indexing == "xy" && in.size() > 1;
  const auto place = [&](size_t i) { return exchanged && i < 2 ? 1 - i : i; };
  if (exchanged) std::swap(shape[0], shape[1]);
  Tensors out;
  for (size_t i = 0; i < in.size(); ++i) {
    Shape own(in.size(), Dim(1));
    own[place(i)] = num_elements(in[i].shape());
    out.push_back(broadcast_to(reshape(in[i], own), shape));
  }
  return out;
}

Tensors at_least_1(const NoAttrs&, TensorSpan in) {
  return {in[0].rank() > 0 ? in[0] : reshape(in[0], {1})};
}
Tensors at_least_2(const NoAttrs&, TensorSpan in) {
  const Tensor& x = in[0];
  return {x.rank() > 1 ? x : reshape(x, {1, num_elements(x.shape())})};
}
Tensors at_least_3(const NoAttrs&, TensorSpan in) {
  const Tensor& x = in[0];
  if (x.rank() > 2) return {x};
  if (x.rank() == 2) return {reshape(x, {x.dim(0), x.dim(1), 1})};
  return {reshape(x, {1, num_elements(x.shape()), 1})};
}

}  // namespace

constinit const CompositeDef kBroadcastArrays{
    .name = "broadcast_arrays",
    .doc = "The tensors repeated to the shape they have together. They share memory.",
    .inputs = {"xs...: any"},
    .outputs = {"out...: any"},
    .compose = rule<broadcasted>(),
    .known_as = {Alias{"numpy", "broadcast_arrays"}, Alias{"torch", "broadcast_tensors"},
                 Alias{"jax", "numpy.broadcast_arrays"}},
};

constinit const CompositeDef kMeshgrid{
    .name = "meshgrid",
    .doc =
        "Coordinates of a grid from those along its axes: output `i` holds those of input `i`, "
        "repeated along all others. They share memory.",
    .inputs = {"xs...: any"},
    .outputs = {"out...: any"},
    .attrs = attrs_type<MeshgridAttrs>(),
    .laws = {Law{"indexing", "`indexing` is \"xy\" or \"ij\""},
             Law{"rank", "inputs have rank 0 or 1"}},
    .compose = rule<gridded>(),
    .known_as = {Alias{"numpy", "meshgrid"},
                 Alias{"torch",
                       "meshgrid: its indexing is \"ij\" unless given, ours \"xy\" as NumPy's"},
                 Alias{"jax", "numpy.meshgrid"}, Alias{"tf", "meshgrid"}},
};

constinit const CompositeDef kAtleast1d{
    .name = "atleast_1d",
    .doc = "The tensor with at least one axis: a scalar becomes a vector of one element.",
    .inputs = {"x: any"},
    .outputs = {"out: like x"},
    .compose = rule<at_least_1>(),
    .known_as = {Alias{"numpy", "atleast_1d"}, Alias{"torch", "atleast_1d"},
                 Alias{"jax", "numpy.atleast_1d"}, Alias{"tf", "experimental.numpy.atleast_1d"}},
};
constinit const CompositeDef kAtleast2d{
    .name = "atleast_2d",
    .doc = "The tensor with at least two axes: a vector becomes a row.",
    .inputs = {"x: any"},
    .outputs = {"out: like x"},
    .compose = rule<at_least_2>(),
    .known_as = {Alias{"numpy", "atleast_2d"}, Alias{"torch", "atleast_2d"},
                 Alias{"jax", "numpy.atleast_2d"}, Alias{"tf", "experimental.numpy.atleast_2d"}},
};
constinit const CompositeDef kAtleast3d{
    .name = "atleast_3d",
    .doc =
        "The tensor with at least three axes: of shape `[n]` it becomes `[1, n, 1]`, of shape "
        "`[m, n]` it becomes `[m, n, 1]`.",
    .inputs = {"x: any"},
    .outputs = {"out: like x"},
    .compose = rule<at_least_3>(),
    .known_as = {Alias{"numpy", "atleast_3d"}, Alias{"torch", "atleast_3d"},
                 Alias{"jax", "numpy.atleast_3d"}, Alias{"tf", "experimental.numpy.atleast_3d"}},
};

Tensors broadcast_arrays(TensorSpan xs, Where where) {
  return compose_all(kBroadcastArrays, xs, &kNoAttrs, where);
}
Tensors meshgrid(TensorSpan xs, std::string indexing, Where where) {
  const MeshgridAttrs at{std::move(indexing)};
  return compose_all(kMeshgrid, xs, &at, where);
}
Tensor atleast_1d(const Tensor& x, Where where) {
  return compose(kAtleast1d, inputs(x), kNoAttrs, where);
}
Tensor atleast_2d(const Tensor& x, Where where) {
  return compose(kAtleast2d, inputs(x), kNoAttrs, where);
}
Tensor atleast_3d(const Tensor& x, Where where) {
  return compose(kAtleast3d, inputs(x), kNoAttrs, where);
}

}  // namespace weft
