// Uses the op of this library: value, gradient and batching rules, and an error.
#include <cmath>
#include <cstdio>

#include "softsign.h"

int main() {
  using namespace weft;
  const Tensor x = linspace(-2.0, 2.0, 5);
  std::printf("softsign(x)    = %s\n", to_string(user_ops::softsign(x)).c_str());

  // The gradient rule, called as the tape will call it.
  const Tensor y = user_ops::softsign(x);
  const bool wanted[] = {true};
  const GradCtx cx{inputs(x), inputs(y), wanted, Where::here()};
  const Tensors gradient = call_vjp(user_ops::kSoftsign, &kNoAttrs, cx, inputs(ones({5})));
  std::printf("its derivative = %s\n", to_string(gradient[0]).c_str());

  try {
    user_ops::softsign(ones({2}, DType::kC64));
  } catch (const Error& error) {
    std::printf("%s\n", error.what());
  }
  return std::abs(sum(gradient[0]).item() - (1 + 2 / 4.0 + 2 / 9.0)) < 1e-6 ? 0 : 1;
}
