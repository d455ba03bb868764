// Jacobians: the linear maps of a function, run by vmap over all directions of a space.
#include "weft/transform/jacobian.h"

#include "weft/base/fail_at.h"
#include "weft/op/builtin.h"
#include "weft/ops/creation/creation.h"
#include "weft/transform/jvp.h"
#include "weft/transform/vmap.h"

namespace weft {
namespace {

Shape joined(ShapeView a, ShapeView b) {
  Shape out(a);
  for (const Dim dim : b) out.push_back(dim);
  return out;
}

// All directions of a space: [size, *shape].
Tensor basis(DType dtype, ShapeView shape, Where where) {
  int64_t size = 1;
  for (const Dim dim : shape) size *= dim.value();
  return reshape(eye(size, {}, 0, dtype, where), joined(Shape{Dim(size)}, shape), where);
}

void check_output(const Tensor& output, size_t k, std::string_view who, Where where) {
  if (is_differentiable(output.dtype())) return;
  fail_at(where, Code::kType, who, "dtype", "output ", k, " has dtype ", output.dtype(),
          ", which has no derivatives; leave it out, or return it beside the value (has_aux, "
          "with_aux)");
}

// `linear` for every direction; the directions are counted along `axis` of what it gives.
// Undefined stays undefined.
Tensors for_all(const Tensor& directions, FlatFunction linear, int64_t axis, Where where) {
  std::vector<bool> is_there;
  VmapOptions options{.in_axes = {0}};
  const auto filled = [&](TensorSpan in) {
    Tensors out = linear(in);
    is_there.clear();
    for (Tensor& t : out) {
      is_there.push_back(t.defined());
      if (!t.defined()) t = Tensor(0.0);
    }
    options.out_axes.assign(out.size(), axis);
    return out;
  };
  Tensors out = vmap_flat(filled, {&directions, 1}, options, where);
  for (size_t k = 0; k < out.size(); ++k) {
    if (!is_there[k]) out[k] = Tensor();
  }
  return out;
}

}  // namespace

Tensors rows_of(const Tensor& output, FlatFunction pull, Where where) {
  const ShapeView shape = output.shape();
  Tensors out = for_all(basis(output.dtype(), shape, where), pull, 0, where);
  for (Tensor& t : out) {
    if (t.defined()) t = reshape(t, joined(shape, t.shape().subspan(1)), where);
  }
  return out;
}

Tensors batch_rows_of(const Tensor& output, FlatFunction pull, Where where) {
  const ShapeView shape = output.shape();
  const auto of_all_examples = [&](TensorSpan one) {
    const Tensor whole = broadcast_to(one[0], Shape(shape), where);
    return pull({&whole, 1});
  };
  const Tensor directions = basis(output.dtype(), shape.subspan(1), where);
  Tensors out = for_all(directions, of_all_examples, 1, where);
  for (Tensor& t : out) {
    if (t.defined()) t = reshape(t, joined(shape, t.shape().subspan(2)), where);
  }
  return out;
}

Tensors jacrev_flat(FlatFunction f, TensorSpan in, Where where) {
  const Linearization line(f, in, where);
  Tensors out;
  for (size_t k = 0; k < line.outputs().size(); ++k) {
    check_output(line.outputs()[k], k, "jacrev", where);
    const auto pull = [&](TensorSpan direction) {
      Tensors cotangents(line.outputs().size(), Tensor());
      cotangents[k] = direction[0];
      return connected(line, line.pull(cotangents), in, Unconnected::kZero, "jacrev", where);
    };
    for (const Tensor& row : rows_of(line.outputs()[k], pull, where)) out.push_back(row);
  }
  return out;
}

Tensors jacfwd_flat(FlatFunction f, TensorSpan in, Where where) {
  std::vector<Tensors> columns;
  for (size_t i = 0; i < in.size(); ++i) {
    check_input(in[i], i, "jacfwd", where);
    const auto push = [&](TensorSpan direction) {
      Tensors tangents(in.size(), Tensor());
      tangents[i] = direction[0];
      JvpResult at = jvp_flat(f, in, tangents, where);
      for (size_t k = 0; k < at.outputs.size(); ++k) {
        check_output(at.outputs[k], k, "jacfwd", where);
      }
      return with_zeros(std::move(at.tangents), at.outputs, where);
    };
    const Tensor directions = basis(in[i].dtype(), in[i].shape(), where);
    columns.push_back(for_all(directions, push, -1, where));
    for (Tensor& t : columns.back()) {
      t = reshape(t, joined(t.shape().first(t.shape().size() - 1), in[i].shape()), where);
    }
  }
  Tensors out;
  const size_t outputs = columns.empty() ? 0 : columns[0].size();
  for (size_t k = 0; k < outputs; ++k) {
    for (const Tensors& column : columns) out.push_back(column[k]);
  }
  return out;
}

}  // namespace weft
