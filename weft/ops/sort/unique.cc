// The distinct elements of a tensor, by sorting it.
#include "weft/ops/sort/unique.h"

#include "weft/core/node.h"
#include "weft/op/record.h"
#include "weft/ops/creation/creation.h"
#include "weft/ops/math/operators.h"
#include "weft/ops/reduce/reduce.h"
#include "weft/ops/shape/shape_ops.h"

namespace weft {
namespace {

// Complex numbers by their real parts, then by their imaginary ones.
Tensor order_of(const Tensor& flat) {
  if (!is_complex(flat.dtype())) return argsort(flat, 0);
  const Tensor by_imag = argsort(imag(flat), 0);
  return gather(by_imag, argsort(gather(real(flat), by_imag, 0), 0), 0);
}

}  // namespace

void require_one_example(std::string_view op, const Tensor& x) {
  for (Tensor t = x; t.defined() && !t.is_concrete(); t = value_below(t)) {
    if (std::string_view(static_cast<const Tracer*>(t.node())->type->name) != "vmap") continue;
    fail(Code::kInvalid, op, "batch",
         "how many distinct elements there are differs between the examples of a vmap, so there "
         "is no common shape; call it outside of vmap, or sort x and compare neighbours");
  }
}

Distinct::Distinct(std::string_view op, const Tensor& x) : shape_(x.shape()) {
  require_one_example(op, x);
  flat_ = reshape(x, Shape{num_elements(shape_)});
  order_ = order_of(flat_);
  const Tensor sorted = gather(flat_, order_, 0);
  // All of one size, which a graph need not know: 0, 1, 2, ..
  const Tensor places = cumulative_sum(ones_like(order_), 0) - 1;
  const Tensor before = gather(sorted, maximum(places - 1, 0), 0);
  const Tensor differs = sorted != before;
  is_first_ = logical_or(places == 0, differs);
  starts_ = squeeze(argwhere(is_first_), {1});
}

Tensor Distinct::indices() const { return gather(order_, starts_, 0); }

Tensor Distinct::values() const { return gather(flat_, indices(), 0); }

Tensor Distinct::groups() const { return cumulative_sum(cast(is_first_, DType::kI64), 0) - 1; }

Tensor Distinct::inverse() const {
  const Tensor group = groups();
  return reshape(put_along_axis(group, order_, group, 0), shape_);
}

Tensor Distinct::counts() const {
  const Tensor group = groups();
  const Tensor ends = searchsorted(group, gather(group, starts_, 0), /*right=*/true);
  return ends - starts_;
}

}  // namespace weft
