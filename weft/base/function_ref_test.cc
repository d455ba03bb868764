// FunctionRef calls what it was given: lambdas, const objects, functions.
#include "weft/base/function_ref.h"

#include <gtest/gtest.h>

#include <memory>

namespace weft {
namespace {

int twice(int x) { return 2 * x; }
int apply(FunctionRef<int(int)> f, int x) { return f(x); }

TEST(FunctionRef, calls_what_it_borrows) {
  int calls = 0;
  auto count = [&calls](int x) { return calls += x; };
  EXPECT_EQ(apply(count, 3), 3);
  EXPECT_EQ(apply(count, 4), 7);
  const auto constant = [](int) { return 5; };
  EXPECT_EQ(apply(constant, 0), 5);
  EXPECT_EQ(apply(twice, 21), 42);
  EXPECT_EQ(apply(&twice, 21), 42);
  int (*pointer)(int) = twice;
  EXPECT_EQ(apply(pointer, 1), 2);
}

TEST(FunctionRef, passes_arguments_through) {
  int out = 0;
  const auto take = [&](std::unique_ptr<int> p, int& result) { result = *p; };
  const FunctionRef<void(std::unique_ptr<int>, int&)> f = take;
  const auto copy = f;
  copy(std::make_unique<int>(9), out);
  EXPECT_EQ(out, 9);
}

TEST(FunctionRef, may_be_empty) {
  FunctionRef<int(int)> f;
  EXPECT_FALSE(f);
  f = twice;
  EXPECT_TRUE(f);
}

}  // namespace
}  // namespace weft
