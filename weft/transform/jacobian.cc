// Jacobians: the linear maps of a function, run by vmap over all directions of a space.
#include "weft/transform/jacobian.h"

#include "weft/base/fail_at.h"
#include "weft/op/builtin.h"
#include "weft/ops/creation/creation.h"
#include "weft/ops/math/math.h"
#include "weft/ops/shape/parts.h"
#include "weft/ops/shape/shape_ops.h"
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
  const Dim size = num_elements(shape);
  return reshape(eye(size, {}, 0, dtype, where), joined(Shape{size}, shape), where);
}

// i * x, complex.
Tensor times_i(const Tensor& x, Where where) {
  const Complex64 i{0, 1};
  const Tensor unit = Tensor::from_bytes(DType::kC64, {}, std::as_bytes(std::span(&i, 1)));
  return multiply(x, unit, where);
}

bool any_real(TensorSpan tensors) {
  for (const Tensor& t : tensors) {
    if (t.defined() && !is_complex(t.dtype())) return true;
  }
  return false;
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
  FlatVmapOptions options{.in_axes = {0}};
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

// What `pull` gives for all cotangents of one element, as rows of a Jacobian. Reverse mode is the
// adjoint: its conjugate is the row. For a real input, whose cotangents are real parts, the
// imaginary part is what the cotangent i gives; both are asked for in one run.
Tensors pulled_rows(const Tensor& output, ShapeView shape, TensorSpan in, FlatFunction pull,
                    int64_t axis, Where where) {
  Tensor directions = basis(output.dtype(), shape, where);
  const Dim count = directions.shape()[0];
  const bool with_i = is_complex(output.dtype()) && any_real(in);
  if (with_i) {
    directions = concat(inputs(directions, times_i(directions, where)), 0, where);
  }
  Tensors out = for_all(directions, pull, axis, where);
  for (Tensor& t : out) {
    if (!t.defined()) continue;
    const Tensors parts = with_i ? parts_of(t, {count, count}, axis, where) : Tensors{t};
    if (is_complex(t.dtype())) {
      t = conj(parts[0], where);
    } else if (with_i) {
      t = add(parts[0], times_i(parts[1], where), where);
    }
  }
  return out;
}

}  // namespace

Tensors rows_of(const Tensor& output, TensorSpan in, FlatFunction pull, Where where) {
  const ShapeView shape = output.shape();
  Tensors out = pulled_rows(output, shape, in, pull, 0, where);
  for (Tensor& t : out) {
    if (t.defined()) t = reshape(t, joined(shape, t.shape().subspan(1)), where);
  }
  return out;
}

Tensors batch_rows_of(const Tensor& output, TensorSpan in, FlatFunction pull, Where where) {
  const ShapeView shape = output.shape();
  const auto of_all_examples = [&](TensorSpan one) {
    const Tensor whole = broadcast_to(one[0], Shape(shape), where);
    return pull({&whole, 1});
  };
  Tensors out = pulled_rows(output, shape.subspan(1), in, of_all_examples, 1, where);
  for (Tensor& t : out) {
    if (t.defined()) t = reshape(t, joined(shape, t.shape().subspan(2)), where);
  }
  return out;
}

Tensors jacrev_flat(FlatFunction f, TensorSpan in, Where where) {
  const Linearization line(f, in, where, "jacrev");
  Tensors out;
  for (size_t k = 0; k < line.outputs().size(); ++k) {
    check_output(line.outputs()[k], k, "jacrev", where);
    const auto pull = [&](TensorSpan direction) {
      Tensors cotangents(line.outputs().size(), Tensor());
      cotangents[k] = direction[0];
      return connected(line, line.pull(cotangents), in, Unconnected::kZero, "jacrev", where);
    };
    for (const Tensor& row : rows_of(line.outputs()[k], in, pull, where)) out.push_back(row);
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
    if (is_complex(in[i].dtype()) && any_real(columns.back())) {
      const Tensors by_i = for_all(times_i(directions, where), push, -1, where);
      for (size_t k = 0; k < by_i.size(); ++k) {
        Tensor& t = columns.back()[k];
        if (!is_complex(t.dtype())) t = subtract(t, times_i(by_i[k], where), where);
      }
    }
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

Tensors hessian_flat(FlatFunction gradient, TensorSpan in, Where where) {
  for (size_t i = 0; i < in.size(); ++i) {
    if (!in[i].defined() || !is_complex(in[i].dtype())) continue;
    fail_at(where, Code::kType, "hessian", "complex", "input ", i, " has dtype ", in[i].dtype(),
            ", and a matrix of complex numbers cannot hold the second derivatives of a real "
            "function of it; take hvp, or real and imaginary parts as inputs of their own; for "
            "the second derivative of a holomorphic f take jacfwd(jacfwd(f))");
  }
  return jacfwd_flat(gradient, in, where);
}

}  // namespace weft
