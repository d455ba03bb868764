// Samples of the sums that cdist is made of.
#include "tests/op_suite/samples.h"

using namespace weft::suite;

namespace {

enum class Sum { kSquares, kPush, kPull };

template <Sum kSum>
Arrays reference(const Attrs&, const Arrays& in) {
  constexpr size_t kFirst = kSum == Sum::kSquares ? 0 : 1;  // where the points begin
  const Array &a = in[kFirst], &b = in[kFirst + 1];
  const size_t rank = a.shape.size();
  const auto n = static_cast<size_t>(a.shape[rank - 2]), m = static_cast<size_t>(b.shape[rank - 2]);
  const auto width = static_cast<size_t>(a.shape[rank - 1]);
  std::vector<int64_t> shape = a.shape;
  if (kSum != Sum::kPull) shape[rank - 1] = b.shape[rank - 2];
  Array out = like(a, shape);
  const size_t points = width == 0 ? 0 : a.values.size() / width;
  for (size_t row = 0; row < points; ++row) {
    for (size_t j = 0; j < m; ++j) {
      for (size_t k = 0; k < width; ++k) {
        const long double difference =
            a.values[row * width + k].re - b.values[(row / n * m + j) * width + k].re;
        if (kSum == Sum::kPull) {
          const long double weight = in[0].values[row * m + j].re;
          if (weight != 0) out.values[row * width + k].re += weight * difference;
        } else {
          const long double left = kFirst == 0 ? difference : in[0].values[row * width + k].re;
          out.values[row * m + j].re += left * difference;
        }
      }
    }
  }
  return {out};
}

const char* const kSkipZero = "an infinite difference times a cotangent of 0 is NaN";

}  // namespace

WEFT_OP_TEST(nn__cdist__squares) {
  t.skip("zero", kSkipZero);
  t.sample({in({3, 2}), in({5, 2})});
  t.sample({in({2, 3, 9}), in({2, 1, 9})});
  t.sample({in({2, 0}), in({3, 0})});
  t.sample({in({0, 3}), in({4, 3})});
  t.large({in({60, 17}), in({70, 17})});
  t.reference(reference<Sum::kSquares>);
  t.error("points", {in({3, 2}), in({4, 3})}, "",
          "cdist.squares: the points have shapes [3, 2] and [4, 3]; they may differ only in how "
          "many there are, on axis -2 [cdist.squares.points]");
}

WEFT_OP_TEST(nn__cdist__push) {
  t.skip("zero", kSkipZero);
  t.sample({in({3, 2}), in({3, 2}), in({5, 2})});
  t.sample({in({2, 3, 9}), in({2, 3, 9}), in({2, 1, 9})});
  t.sample({in({0, 3}), in({0, 3}), in({4, 3})});
  t.large({in({60, 17}), in({60, 17}), in({70, 17})});
  t.reference(reference<Sum::kPush>);
  t.error("points", {in({3, 2}), in({3, 2}), in({4, 3})}, "",
          "cdist.push: the points have shapes [3, 2] and [4, 3]; they may differ only in how many "
          "there are, on axis -2 [cdist.push.points]");
  t.error("first", {in({3, 4}), in({3, 2}), in({4, 2})}, "",
          "cdist.push: the first input has shape [3, 4]; with these points it must have [3, 2] "
          "[cdist.push.first]");
}

WEFT_OP_TEST(nn__cdist__pull) {
  t.skip("zero", kSkipZero);
  t.sample({in({3, 5}), in({3, 2}), in({5, 2})});
  t.sample({in({2, 3, 1}), in({2, 3, 9}), in({2, 1, 9})});
  t.sample({in({3, 0}), in({3, 2}), in({0, 2})});
  t.large({in({60, 70}), in({60, 17}), in({70, 17})});
  t.reference(reference<Sum::kPull>);
  t.error("points", {in({3, 4}), in({3, 2}), in({4, 3})}, "",
          "cdist.pull: the points have shapes [3, 2] and [4, 3]; they may differ only in how many "
          "there are, on axis -2 [cdist.pull.points]");
  t.error("first", {in({3, 3}), in({3, 2}), in({4, 2})}, "",
          "cdist.pull: the first input has shape [3, 3]; with these points it must have [3, 4] "
          "[cdist.pull.first]");
}
