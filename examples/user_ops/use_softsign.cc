// Uses the op of this library: value, gradient, batches, and an error.
#include <cmath>
#include <cstdio>

#include "softsign.h"

int main() {
  using namespace weft;
  const Tensor x = linspace(-2.0, 2.0, 5);
  const Tensor y = user_ops::softsign(x);
  std::printf("softsign(x)    = %s\n", to_string(y).c_str());

  // An op of one's own has derivatives and batches like any other.
  const auto total = [](const Tensor& t) { return sum(user_ops::softsign(t)); };
  const Tensor gradient = grad(total)(x);
  std::printf("its derivative = %s\n", to_string(gradient).c_str());
  const auto one = [](const Tensor& t) { return user_ops::softsign(t); };
  const Tensor each = vmap(grad(one))(x);
  try {
    user_ops::softsign(ones({2}, DType::kC64));
  } catch (const Error& error) {
    std::printf("%s\n", error.what());
  }
  const double expected = 1 + 2 / 4.0 + 2 / 9.0;
  const bool agree = std::abs(sum(gradient).item() - expected) < 1e-6 &&
                     std::abs(sum(each).item() - expected) < 1e-6;
  return agree ? 0 : 1;
}
