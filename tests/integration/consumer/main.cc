// A program outside the tree: adds two tensors and prints the result.
#include <weft/weft.h>

#include <cstdio>

int main() {
  const weft::Tensor x = weft::zeros({2, 3}) + 1.5;
  std::printf("%s\n", weft::to_string(x * x).c_str());
  return weft::sum(x).item() == 9 ? 0 : 1;
}
