// Samples of chunk.
#include "weft/ops/shape/moving_reference.h"

using namespace weft::suite;

static Arrays reference(const Attrs& at, const Arrays& in) {
  const Array& x = in[0];
  const size_t axis = axis_of(x, at.get<int64_t>("axis"));
  const int64_t chunks = at.get<int64_t>("chunks"), size = x.shape[axis];
  const int64_t each = (size + chunks - 1) / chunks;
  Arrays out;
  for (int64_t k = 0; k < chunks && (k * each < size || size == 0); ++k) {
    Places shape = x.shape;
    shape[axis] = std::min(each, size - k * each);
    out.push_back(moved_from(x, shape, [&](Places place) {
      place[axis] += k * each;
      return place;
    }));
  }
  return out;
}

WEFT_OP_TEST(chunk) {
  t.skip("symbolic", "there is a result for each part, so the size of the axis must be known");
  t.sample({in({6, 2})}, "chunks=3");
  t.sample({in({2, 7})}, "chunks=3, axis=1");
  t.sample({in({2, 5})}, "chunks=4, axis=-1");
  t.sample({in({0, 2})}, "chunks=2");
  t.sample({in({3})}, "chunks=1");
  t.large({in({300, 301})}, "chunks=7, axis=1");
  t.reference(reference);
  t.error("chunks", {in({5})}, "chunks=0",
          "chunk: chunks is 0; it must be between 1 and 1048576 [chunk.chunks]");
  t.error("axis", {in({5, 2})}, "chunks=2, axis=2",
          "chunk: axis 2 is out of range for shape [5, 2]; axes go from -2 to 1 [chunk.axis]");
}
