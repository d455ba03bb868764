// Preparing inputs: their number and dtypes are checked, and those that go together are promoted.
#pragma once

#include "weft/op/registry.h"

namespace weft {

// The inputs as the op's rules see them: the same handles where nothing had to be converted.
Tensors prepare_inputs(const OpDef& op, TensorSpan in, Where where);

// What a language scalar is where nothing else decides: 1.0 is float32, 1 is int64.
DType strong_dtype(DType weak);
// A language scalar as a tensor of `dtype`; raises [op.fits] if the dtype cannot hold it.
Tensor strong_scalar(std::string_view op, std::string_view argument, const Tensor& weak,
                     DType dtype);

// A composite's inputs without the optional ones left out at the end; their number is checked, and
// that only optional ones are undefined. Its parts check dtypes and promote.
TensorSpan given_inputs(const CompositeDef& op, TensorSpan in);

// The same as prepare_inputs on types, for inference without values.
Types prepare_types(const OpDef& op, TypeSpan in);

}  // namespace weft
