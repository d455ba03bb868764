// Dim by dim, and no question if the answer is known.
#include "weft/op/decide_shapes.h"

namespace weft {

Tri decide_same(ShapeView a, ShapeView b) {
  if (same(a, b) == Tri::kNo) return Tri::kNo;
  Tri answer = Tri::kYes;
  for (size_t i = 0; i < a.size(); ++i) {
    const Tri one = decide_same(a[i], b[i]);
    if (one == Tri::kNo) return Tri::kNo;
    if (one == Tri::kUnknown) answer = Tri::kUnknown;
  }
  return answer;
}

}  // namespace weft
