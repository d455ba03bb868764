// Sorting along the last axis: values, the stable order of them, and the first few of it.
//
// Keys are sorted by Highway's vqsort, rows in the pool. Where the order is asked for, the index is
// in the low bits of what is sorted: no two are equal, so that the result does not depend on how
// they are sorted.
#pragma once

#include "weft/core/tensor.h"

namespace weft::kernels {

// All tensors are contiguous. NaN is the greatest element, and zeros are equal; what is equal keeps
// its order, descending or not.

// out = the elements of each row of `in` in order; one shape and dtype.
void sort_rows(const Tensor& out, const Tensor& in, bool descending);
// out (int64, the shape of `in`) = for each row the indices that sort it.
void argsort_rows(const Tensor& out, const Tensor& in, bool descending);
// out (int64, [.., k]) = the first k of those.
void top_rows(const Tensor& out, const Tensor& in, bool descending);

// out (int64, the shape of `values`) = how many elements of the row of `sorted` are before each
// value, or, to the right, before and equal. `sorted` is one row, or one for each row of values.
void search_rows(const Tensor& out, const Tensor& sorted, const Tensor& values, bool right);

// out (int64, the shape of `in`) = for each place of a row where its greatest (or least) element so
// far is, the first of several. NaN is before all else in both.
void running_extremum(const Tensor& out, const Tensor& in, bool largest);

}  // namespace weft::kernels
