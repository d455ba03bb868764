// Samples of topk.
#include "weft/base/text.h"
#include "weft/ops/sort/sort_reference.h"

using namespace weft::suite;

namespace {

Arrays indices_reference(const Attrs& at, const Arrays& in) {
  return {ordered(in[0], at.get<int64_t>("axis"), at.get<int64_t>("k"), at.get<bool>("largest"),
                  /*indices=*/true)};
}

Arrays reference(const Attrs& at, const Arrays& in) {
  return {ordered(in[0], at.get<int64_t>("axis"), at.get<int64_t>("k"), at.get<bool>("largest"),
                  /*indices=*/false),
          indices_reference(at, in)[0]};
}

void samples(OpTest& t, const char* name) {
  t.sample({distinct({7})}, "k=3");
  t.sample({distinct({5, 3})}, "k=2, axis=0, largest=false");
  t.sample({distinct({2, 300})}, "k=4, sorted=false");
  t.sample({distinct({2, 300, 2})}, "k=4, axis=1, largest=false");
  t.sample({distinct({2, 4})}, "k=4");
  t.sample({in({2, 4})}, "k=0");
  t.sample({in({0, 4})}, "k=2");
  t.large({in({30, 3001})}, "k=10");
  t.large({in({30, 3001})}, "k=1000, largest=false");
  t.kink({exactly({2, 6}, {1, 0, 1, 1, 0, 1, 2, 2, 2, 2, 2, 2})}, "k=3", "equal elements");
  t.kink({exactly({6}, {NAN, 1, -INFINITY, INFINITY, NAN, -0.0}, DType::kF32)}, "k=4", "NaN");
  t.error("k", {in({2, 3})}, "k=4",
          text(name, ": k is 4, but axis -1 of shape [2, 3] has size 3; k goes from 0 to that [",
               name, ".k]"));
  t.error("k", {in({2, 3})}, "k=-1",
          text(name, ": k is -1, but axis -1 of shape [2, 3] has size 3; k goes from 0 to that [",
               name, ".k]"));
  t.error("axis", {in({2, 3})}, "k=1, axis=2",
          text(name, ": axis 2 is out of range for shape [2, 3]; axes go from -2 to 1 [", name,
               ".axis]"));
}

}  // namespace

WEFT_OP_TEST(topk) {
  samples(t, "topk");
  t.reference(reference);
}

WEFT_OP_TEST(topk__indices) {
  samples(t, "topk.indices");
  t.reference(indices_reference);
}
