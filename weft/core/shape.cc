// Shapes: counting, strides, comparison, printing.
#include "weft/core/shape.h"

namespace weft {

Dim num_elements(ShapeView shape) {
  // A zero anywhere makes the product zero, even beside extents whose product would not fit.
  for (Dim dim : shape) {
    if (dim == Dim(0)) return 0;
  }
  Dim product = 1;
  for (Dim dim : shape) product = product * dim;
  return product;
}

Ints contiguous_strides(ShapeView shape) {
  Ints strides(shape.size(), 1);
  for (size_t i = shape.size(); i-- > 1;) {
    const int64_t extent = shape[i].value();
    strides[i - 1] = checked_mul(strides[i], extent > 0 ? extent : 1);
  }
  return strides;
}

Tri same(ShapeView a, ShapeView b) {
  if (a.size() != b.size()) return Tri::kNo;
  Tri answer = Tri::kYes;
  for (size_t i = 0; i < a.size(); ++i) {
    const Tri one = same(a[i], b[i]);
    if (one == Tri::kNo) return Tri::kNo;
    if (one == Tri::kUnknown) answer = Tri::kUnknown;
  }
  return answer;
}

void append_text(std::string& out, const Type& type) {
  out += short_name_of(type.dtype);
  append_text(out, ShapeView(type.shape));
}

}  // namespace weft
