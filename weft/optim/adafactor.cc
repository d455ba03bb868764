// Adafactor: factors for matrices, plain means of squares for vectors.
#include "weft/optim/adafactor.h"

#include <cmath>

#include "weft/op/builtin.h"
#include "weft/ops/linalg/linalg.h"
#include "weft/ops/math/operators.h"
#include "weft/ops/optim/optim.h"
#include "weft/ops/reduce/reduce.h"
#include "weft/optim/clip.h"

namespace weft::optim {
namespace {

bool is_factored(const Tensor& parameter) { return parameter.rank() > 1; }

// Means over the last axis, which stays with size 1; of a vector, the squares themselves.
Tensor no_rows(const Group&, const Tensor& parameter) {
  Shape shape(parameter.shape());
  if (is_factored(parameter)) shape.back() = 1;
  return zeros(shape, compute_of(parameter.dtype()));
}
// Means over the axis before it; a vector has none.
Tensor no_columns(const Group&, const Tensor& parameter) {
  Shape shape(parameter.shape());
  if (is_factored(parameter)) shape[shape.size() - 2] = 1;
  return zeros(is_factored(parameter) ? shape : Shape{0}, compute_of(parameter.dtype()));
}

Tensor mean_square(const Tensor& g, int64_t axis) { return mean(g * g, Ints{axis}, true); }

void move_towards(const Variable& place, const Tensor& value, const Tensor& gain) {
  const Tensor old = now(place);
  place.assign(old + (value - old) * gain);
}

// What the dtype resolves: the distance from 1 to the next number.
double resolution(DType dtype) { return dtype == DType::kF64 ? 0x1p-52 : 0x1p-23; }

Tensor root_mean_square(const Tensor& x) {
  return norm_of(x) / std::sqrt(static_cast<double>(num_elements(x.shape()).value()));
}

}  // namespace

Adafactor::Adafactor(Parameters parameters, AdafactorOptions o)
    : Optimizer({.name = "Adafactor",
                 .options = {{"lr", o.lr},
                             {"beta2_decay", o.beta2_decay, Range::kAny},
                             {"eps1", o.eps1},
                             {"eps2", o.eps2},
                             {"d", o.d, Range::kPositive},
                             {"weight_decay", o.weight_decay}},
                 .slots = {{"rows", no_rows}, {"columns", no_columns}},
                 .maximize = o.maximize},
                parameters) {}

void Adafactor::update(const Group& group, TensorSpan gradients, Where where) {
  const Tensor t = group.t(), lr = group["lr"], keep = 1.0 - lr * group["weight_decay"];
  const Tensor rate = minimum(lr, 1.0 / sqrt(t)), gain = pow(t, group["beta2_decay"]);
  for (size_t i = 0; i < gradients.size(); ++i) {
    const Variable& parameter = group.parameters()[i];
    const DType dtype = gradients[i].dtype(), wide = compute_of(dtype);
    const auto in_dtype = [&](const Tensor& x) { return cast(x, wide, where); };
    const Tensor sign = in_dtype(scale()), moves = in_dtype(gain);
    const Tensor g = in_dtype(gradients[i]) * sign;
    const Tensor before = in_dtype(now(parameter));
    const Tensor given = group["eps1"];
    const Tensor eps1 =
        in_dtype(weft::where(given == 0.0, Tensor::scalar(DType::kF64, resolution(wide)), given));
    const Variable &rows = group.slot(0, i), &columns = group.slot(1, i);
    Tensor square;
    if (is_factored(g)) {
      move_towards(rows, mean_square(g, -1), moves);
      move_towards(columns, mean_square(g, -2), moves);
      const Tensor r = now(rows);
      const Tensor middle = maximum(mean(r, Ints{-2}, true), eps1);
      square = matmul(r, now(columns)) / middle;
    } else {
      move_towards(rows, g * g, moves);
      square = now(rows);
    }
    const Tensor direction = g / sqrt(maximum(square, eps1 * eps1));
    const Tensor most = in_dtype(group["d"]), least = in_dtype(group["eps2"]);
    const Tensor length = root_mean_square(direction) / most;
    const Tensor excess = maximum(length, Tensor::scalar(wide, 1));
    const Tensor size = maximum(root_mean_square(before), least);
    const Tensor rest = in_dtype(keep), move = direction * (in_dtype(rate) * size / excess);
    const Tensor next = before * rest - move;
    parameter.assign(cast(next, dtype, where), where);
  }
}

}  // namespace weft::optim
