// Samples of broadcast_to.
#include "weft/ops/shape/moving_reference.h"

using namespace weft::suite;

static Arrays reference(const Attrs& at, const Arrays& in) {
  const Array& x = in[0];
  return {moved_from(x, places_of(at.get<Shape>("shape")), [&](Places place) {
    place.erase(place.begin(), place.end() - static_cast<std::ptrdiff_t>(x.shape.size()));
    for (size_t i = 0; i < place.size(); ++i) place[i] = x.shape[i] == 1 ? 0 : place[i];
    return place;
  })};
}

WEFT_OP_TEST(broadcast_to) {
  t.sample({in({3, 4})}, "shape=[3, 4]");
  t.sample({in({3, 1})}, "shape=[2, 3, 4]");
  t.sample({in({})}, "shape=[2, 3]");
  t.sample({in({1, 3})}, "shape=[0, 3]");
  t.reference(reference);
  t.error("rank", {in({3, 4})}, "shape=[4]",
          "broadcast_to: cannot broadcast [3, 4] to [4], which has fewer axes; axes are added in "
          "front only [broadcast_to.rank]");
  t.error("negative", {in({3})}, "shape=[-1, 3]",
          "broadcast_to: shape [-1, 3] has a negative size; sizes are at least 0 "
          "[broadcast_to.negative]");
  t.error("size", {in({3, 4})}, "shape=[3, 5]",
          "broadcast_to: cannot broadcast [3, 4] to [3, 5]: axis -1 has size 4, not 1 or 5 "
          "[broadcast_to.size]");
}
