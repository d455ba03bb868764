// Source: a tensor of a convolution as accumulators with contiguous channels, copied if it is not.
#pragma once

#include "weft/kernels/conv/problem.h"
#include "weft/kernels/matmul/workspace.h"

namespace weft::kernels {

// [batch, space.., channels] as stored; strides count elements.
struct SourceShape {
  DType dtype;
  const char* data;
  int64_t sizes[kConvAxes + 2];
  int64_t strides[kConvAxes + 2];

  // Row-major, but for axes of size 1.
  bool is_contiguous() const;
  int64_t count() const;
};

// As stored, row-major: places follow each other by `row`.
struct Packed {
  explicit Packed(const SourceShape& shape);
  const char* data;
  int64_t row;

 private:
  Workspace copy_;
};

template <class T>
struct Source {
  Source(const ConvTools<T>& tools, const SourceShape& shape, bool contiguous);
  const T* data;
  int64_t strides[kConvAxes + 1];  // in accumulators

 private:
  Workspace copy_;
  Workspace wide_;
};

}  // namespace weft::kernels
