// Making tensors: one line per op; each op's documentation is in its file.
#pragma once

#include "weft/op/builtin.h"
#include "weft/op/op.h"

namespace weft {

// zeros is in op/builtin.h
struct FillAttrs {
  Shape shape;
  DType dtype = DType::kF32;
  static constexpr auto fields =
      fields_of(field("shape", &FillAttrs::shape, "the shape", kRequired),
                field("dtype", &FillAttrs::dtype, "the dtype of the elements"));
};

extern const OpDef kZeros;

}  // namespace weft
