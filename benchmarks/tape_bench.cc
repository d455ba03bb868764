// What the tape costs: a chain of ops on f32[64], recorded and swept.
//
//   tape_bench                          the best of many rounds
//   tape_bench add|multiply N [sweep]   one chain of N, for counting instructions
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "weft/transform/backward.h"
#include "weft/weft.h"

namespace {

using namespace weft;

double seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

using Op = Tensor (*)(const Tensor&, const Tensor&, Where);

Tensor chain(Op op, const Variable& start, const Tensor& other, int length) {
  Tensor x = start;
  for (int i = 0; i < length; ++i) x = op(x, other, Where::here());
  return x;
}

void measure(const char* name, Op op, const Variable& start, const Tensor& other) {
  constexpr int kLength = 1000;
  const Tensor ones = full({64}, 1.0f);
  double forward = 1, sweep = 1;
  for (int round = 0; round < 200; ++round) {
    const double t0 = seconds();
    const Tensor end = chain(op, start, other, kLength);
    const double t1 = seconds();
    BackwardOptions options;
    options.gradient = ones;
    backward(end, options);
    const double t2 = seconds();
    forward = std::min(forward, (t1 - t0) / kLength);
    sweep = std::min(sweep, (t2 - t1) / kLength);
  }
  std::printf("%-9s f32[64]: recorded in %5.1f ns, swept in %5.1f ns\n", name, forward * 1e9,
              sweep * 1e9);
}

}  // namespace

int main(int argc, char** argv) {
  const Variable start(rand({64}));
  const Tensor other = rand({64});
  if (argc > 2) {
    const Op op = std::string_view(argv[1]) == "add" ? static_cast<Op>(add) : multiply;
    BackwardOptions options;
    options.gradient = full({64}, 1.0f);
    const Tensor end = chain(op, start, other, std::atoi(argv[2]));
    if (argc > 3) backward(end, options);
    return 0;
  }
  measure("add", add, start, other);
  measure("multiply", multiply, start, other);
}
