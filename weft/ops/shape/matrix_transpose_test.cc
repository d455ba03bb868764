// Samples of matrix_transpose.
#include "weft/ops/shape/moving_reference.h"

using namespace weft::suite;

static Arrays reference(const Attrs&, const Arrays& in) {
  Places shape = in[0].shape;
  std::swap(shape[shape.size() - 2], shape.back());
  return {moved_from(in[0], shape, [](Places place) {
    std::swap(place[place.size() - 2], place.back());
    return place;
  })};
}

WEFT_OP_TEST(matrix_transpose) {
  t.sample({in({3, 4})});
  t.sample({in({2, 3, 3})});
  t.sample({in({2, 0, 3})});
  t.large({in({300, 301})});
  t.reference(reference);
  t.error("rank", {in({3})}, "",
          "matrix_transpose: x has shape [3], but needs two axes at least "
          "[matrix_transpose.rank]");
}
