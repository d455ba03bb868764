// cov and corrcoef: their documentation is in their files.
#pragma once

#include "weft/op/builtin.h"
#include "weft/op/op.h"

namespace weft {

struct ValueCheck;

// Of variables in the rows of x; `y` brings further ones.
Tensor cov(const Tensor& x, const Tensor& y = Tensor(), bool rowvar = true, double correction = 1,
           Where where = Where::here());
Tensor corrcoef(const Tensor& x, const Tensor& y = Tensor(), bool rowvar = true,
                Where where = Where::here());

// The matrix for `op`, [variables, variables], in the dtype that is computed in.
Tensor covariance(const InferCtx& cx, TensorSpan in, bool rowvar, double correction);
// The matrix as a result for `x`: in its dtype, and of one variable a number. A graph that does not
// know the number of variables gets a matrix; `several` is the check that its runs have not just
// one.
Tensor of_variables(const Tensor& matrix, const Tensor& x, const ValueCheck& several);
// The law of such a check.
void require_several_variables(const InferCtx& cx, TensorSpan matrix, const Ints&);

extern const CompositeDef kCov, kCorrcoef;

}  // namespace weft
