// Uses the op of this library: value, gradient and batching rules, and an error.
#include <cmath>
#include <cstdio>

#include "softsign.h"

int main() {
  using namespace weft;
  const Tensor x = linspace(-2.0, 2.0, 5);
  const Tensor y = user_ops::softsign(x);
  std::printf("softsign(x)    = %s\n", to_string(y).c_str());

  // The gradient rule, called as the tape will call it.
  const Tensor xs[] = {x}, ys[] = {y}, cotangents[] = {ones({5})};
  const bool wanted[] = {true};
  const GradCtx cx{xs, ys, wanted, Where::here()};
  const Tensors gradient = call_vjp(user_ops::kSoftsign, &kNoAttrs, cx, cotangents);
  std::printf("its derivative = %s\n", to_string(gradient[0]).c_str());

  try {
    user_ops::softsign(ones({2}, DType::kC64));
  } catch (const Error& error) {
    std::printf("%s\n", error.what());
  }
  return std::abs(sum(gradient[0]).item() - (1 + 2 / 4.0 + 2 / 9.0)) < 1e-6 ? 0 : 1;
}
