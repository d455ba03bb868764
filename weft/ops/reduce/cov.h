// cov and corrcoef: their documentation is in their files.
#pragma once

#include "weft/op/builtin.h"
#include "weft/op/op.h"

namespace weft {

// Of variables in the rows of x; `y` brings further ones.
Tensor cov(const Tensor& x, const Tensor& y = Tensor(), bool rowvar = true, double correction = 1,
           Where where = Where::here());
Tensor corrcoef(const Tensor& x, const Tensor& y = Tensor(), bool rowvar = true,
                Where where = Where::here());

// The matrix for `op`, [variables, variables], in the dtype that is computed in.
Tensor covariance(const InferCtx& cx, TensorSpan in, bool rowvar, double correction);
// The matrix as a result for `x`: in its dtype, and of one variable a number.
Tensor of_variables(const Tensor& matrix, const Tensor& x);

extern const CompositeDef kCov, kCorrcoef;

}  // namespace weft
