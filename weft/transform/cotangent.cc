// Checks of what a reverse pass starts with.
#include "weft/transform/cotangent.h"

#include "weft/base/error.h"
#include "weft/op/builtin.h"

namespace weft {

void require_real(const Tensor& target, std::string_view who) {
  if (!is_complex(target.dtype())) return;
  fail(Code::kType, who, "complex", "the value is ", target.dtype(),
       ", and only a real one has a gradient by itself; take real(y) or abs(y), or give the "
       "cotangent to start with, as vjp and backward take it; the derivative of a "
       "holomorphic function is what jacrev and jacfwd give");
}

Tensor initial_cotangent(const Tensor& target, const Tensor& given, std::string_view who,
                         Where where) {
  if (given.defined()) {
    const bool fits =
        given.dtype() == target.dtype() && same(given.shape(), target.shape()) != Tri::kNo;
    if (fits) return given;
    fail(Code::kType, who, "cotangent", "the gradient given is ", given.type(),
         " but the value is ", target.type(), "; they must have one dtype and shape");
  }
  int64_t size = 1;
  for (const Dim dim : target.shape()) size = dim == Dim(1) ? size : 0;
  if (size != 1) {
    fail(Code::kInvalid, who, "scalar", "the value has shape ", target.shape(),
         ", and only a scalar has a gradient by itself; sum it, give the gradient to start with, "
         "or use jacrev or vjp");
  }
  require_real(target, who);
  return broadcast_to(Tensor::scalar(target.dtype(), 1.0), Shape(target.shape()), where);
}

}  // namespace weft
