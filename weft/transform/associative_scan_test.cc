// associative_scan: against loops, in reverse, on trees, under grad, and its errors.
#include "weft/transform/associative_scan.h"

#include <gtest/gtest.h>

#include "weft/weft.h"

namespace weft {
namespace {

struct Line {
  Tensor slope, offset;
  static constexpr auto fields =
      fields_of(field("slope", &Line::slope, ""), field("offset", &Line::offset, ""));
};

// right after left: x -> right.slope * (left.slope * x + left.offset) + right.offset.
Line after(const Line& left, const Line& right) {
  return {right.slope * left.slope, right.slope * left.offset + right.offset};
}

TEST(AssociativeScan, SumsOfEverySize) {
  for (int64_t n = 1; n <= 17; ++n) {
    const Tensor x = arange(n);
    const auto sums = associative_scan([](Tensor a, Tensor b) { return a + b; }, x);
    EXPECT_EQ(sums.to_vector<int64_t>(), cumulative_sum(x).to_vector<int64_t>()) << n;
    const auto back = associative_scan([](Tensor a, Tensor b) { return a + b; }, x, 0, true);
    EXPECT_EQ(flip(back).to_vector<int64_t>(), cumulative_sum(flip(x)).to_vector<int64_t>()) << n;
  }
}

TEST(AssociativeScan, TreesRunARecurrence) {
  const Tensor a = random::uniform(random::Key(1), {3, 9}, DType::kF64);
  const Tensor b = random::uniform(random::Key(2), {3, 9}, DType::kF64);
  const Line out = associative_scan(after, Line{a, b}, 1);
  const Tensor gap = max(abs(out.offset - linear_recurrence(a, b, 1)));
  EXPECT_LT(gap.item(), 1e-14);
}

TEST(AssociativeScan, IsDifferentiable) {
  const Tensor x = random::uniform(random::Key(3), {6}, DType::kF64) + 0.5;
  const auto scanned = grad([](Tensor v) {
    return sum(associative_scan([](Tensor p, Tensor q) { return p * q; }, v));
  })(x);
  const auto wanted = grad([](Tensor v) { return sum(cumulative_prod(v)); })(x);
  EXPECT_LT(max(abs(scanned - wanted)).item(), 1e-13);
}

template <class Call>
std::string message_of(const Call& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.message;
  }
  return "";
}

TEST(AssociativeScan, Errors) {
  const Tensor x = zeros({2, 3});
  const std::vector<Tensor> two{x, zeros({3, 3})};
  EXPECT_EQ(message_of([&] {
              associative_scan([](std::vector<Tensor> a, std::vector<Tensor>) { return a; },
                               std::vector<Tensor>{});
            }),
            "there are no tensors to scan; give a tree with at least one");
  EXPECT_EQ(message_of([&] {
              associative_scan([](std::vector<Tensor> a, std::vector<Tensor>) { return a; }, two);
            }),
            "axis 0 has size 2 and 3; all tensors have one known size along it");
  EXPECT_EQ(message_of([&] { associative_scan([](Tensor a, Tensor) { return sum(a); }, x); }),
            "the function gives f32[] for f32[1, 3]; it must keep types");
}

}  // namespace
}  // namespace weft
