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

bool is_contiguous(const StridedLayout& layout) {
  int64_t expected = 1;
  for (size_t i = layout.shape.size(); i-- > 0;) {
    const int64_t extent = layout.shape[i].value();
    if (extent == 0) return true;
    if (extent != 1 && layout.strides[i] != expected) return false;
    expected *= extent;
  }
  return true;
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
