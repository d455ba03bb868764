// Updates of Variables by functions: in place, with the bits of eager code, all of them or none.
#include <gtest/gtest.h>

#include "weft/weft.h"

namespace weft {
namespace {

const void* memory_of(const Variable& v) { return v.value().data(); }

Tensor loss_of(const Variable& w, const Variable& b, const Tensor& x) {
  return sum(square(matmul(x, w) + b));
}

// Parameters and state of three steps, eagerly or as a function.
std::vector<Tensor> trained(bool is_function, bool holds_values, int* moved = nullptr) {
  const Variable w(reshape(arange(12.0), {4, 3}) / 12.0), b(ones({3}));
  optim::AdamW adam({w, b}, {.lr = 0.1});
  const auto plain = [&](const Tensor& x) {
    return adam.minimize([&] { return loss_of(w, b, x); });
  };
  auto traced = function(plain);
  std::vector<Tensor> held;
  for (int i = 0; i < 3; ++i) {
    const void* const before = memory_of(w);
    if (holds_values) held.push_back(w.value());
    const Tensor x = ones({2, 4}) * static_cast<double>(i + 1);
    if (is_function) {
      traced(x);
    } else {
      plain(x);
    }
    if (moved != nullptr) *moved += memory_of(w) == before ? 0 : 1;
  }
  std::vector<Tensor> out = held;
  out.push_back(w.value());
  out.push_back(b.value());
  for (const auto& [name, value] : adam.state_dict()) out.push_back(value);
  return out;
}

void expect_same_bits(const std::vector<Tensor>& a, const std::vector<Tensor>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (size_t i = 0; i < a.size(); ++i) EXPECT_EQ(fingerprint(a[i]), fingerprint(b[i])) << i;
}

TEST(Replaced, a_step_writes_where_the_values_are) {
  int moved = 0;
  const std::vector<Tensor> got = trained(true, false, &moved);
  EXPECT_EQ(moved, 0);
  expect_same_bits(got, trained(false, false));
}

TEST(Replaced, values_that_somebody_holds_stay) {
  int moved = 0;
  const std::vector<Tensor> got = trained(true, true, &moved);
  EXPECT_EQ(moved, 3);
  expect_same_bits(got, trained(false, true));
}

// The gradient of each is the other one.
TEST(Replaced, a_gradient_may_be_what_is_updated) {
  const auto run = [](bool is_function) {
    const Variable a(ones({3}) * 2.0), b(ones({3}) * 3.0);
    optim::SGD sgd({a, b}, {.lr = 0.5});
    const auto plain = [&] { return sgd.minimize([&] { return sum(a * b); }); };
    auto traced = function(plain);
    for (int i = 0; i < 2; ++i) is_function ? traced() : plain();
    return std::vector<Tensor>{a.value(), b.value()};
  };
  expect_same_bits(run(true), run(false));
}

TEST(Replaced, a_run_that_fails_changes_nothing) {
  const Variable w(ones({4}));
  optim::SGD sgd({w}, {.lr = 0.5, .momentum = 0.9});
  auto step = function([&](const Tensor& x, const Tensor& where) {
    const Tensor loss = sgd.minimize([&] { return sum(w * x); });
    return take(w.read(), where, 0) + loss;  // of the new value
  });
  const Tensor x = ones({4});
  step(x, tensor({0, 3}));
  const std::string before = fingerprint(w.value());
  const auto state = fingerprint(sgd.state_dict());
  EXPECT_THROW(step(x, tensor({0, 7})), Error);
  EXPECT_EQ(fingerprint(w.value()), before);
  EXPECT_EQ(fingerprint(sgd.state_dict()), state);
}

// What a step gives beside is as the op made it, whatever later steps write.
TEST(Replaced, results_are_not_written_by_later_steps) {
  const Variable w(ones({3}));
  optim::SGD sgd({w}, {.lr = 0.5});
  auto step = function([&] {
    sgd.minimize([&] { return sum(w * w); });
    return detach(w.read());
  });
  const Tensor first = step(), second = step();
  EXPECT_EQ(to_string(first), "tensor([0., 0., 0.], dtype=float32)");
  w.assign(ones({3}) * 4.0);
  const Tensor third = step();
  EXPECT_EQ(to_string(third), to_string(first));
  EXPECT_EQ(to_string(second), to_string(first));
  EXPECT_NE(first.data(), third.data());
}

}  // namespace
}  // namespace weft
