// A first program: a layer of a network, by hand.
#include <weft/weft.h>

#include <cstdio>

int main() {
  using namespace weft;
  const Tensor x = random::normal(random::Key(0), {4, 8});
  const Tensor weight = random::normal(random::Key(1), {8, 3});
  const Tensor bias = tensor({0.1, 0.2, 0.3}, DType::kF32);

  const Tensor probabilities = softmax(matmul(x, weight) + bias, -1);
  std::printf("%s\n", to_string(probabilities).c_str());
  std::printf("each row sums to 1: %s\n", to_string(sum(probabilities, Ints{-1})).c_str());

  try {
    matmul(weight, x);
  } catch (const Error& error) {
    std::printf("%s\n", error.what());
  }
}
