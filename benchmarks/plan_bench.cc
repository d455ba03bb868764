// What calls of functions cost: a tiny network, a training step, a loop of a thousand steps.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <string_view>

#include "weft/control/control.h"
#include "weft/ops/nn/conv_call.h"
#include "weft/runtime/traced.h"
#include "weft/weft.h"

namespace {

using namespace weft;

double seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// The best of many rounds, in microseconds a call.
template <class F>
double best(int calls, const F& f) {
  double out = 1e9;
  for (int round = 0; round < 50; ++round) {
    const double begin = seconds();
    for (int i = 0; i < calls; ++i) f();
    out = std::min(out, (seconds() - begin) / calls);
  }
  return out * 1e6;
}

Tensor draw(uint64_t seed, const Shape& shape) {
  return random::normal(random::Key(seed), shape) * 0.1;
}

Tensor layers(TensorSpan in, size_t count) {
  Tensor x = in[0];
  for (size_t i = 0; i < count; ++i) {
    x = matmul(x, in[1 + 2 * i]) + in[2 + 2 * i];
    if (i + 1 < count) x = relu(x);
  }
  return x;
}

void tiny_network() {
  const Tensors in{draw(1, {1, 4}), draw(2, {4, 16}), draw(3, {16}), draw(4, {16, 16}),
                   draw(5, {16}),   draw(6, {16, 2}), draw(7, {2})};
  TracedFunction f({.name = "mlp"});
  const auto body = [](TensorSpan all) { return Tensors{layers(all, 3)}; };
  const Where where = Where::here();
  std::printf("tiny network 4-16-16-2, batch 1:       eager %7.3f us\n",
              best(2000, [&] { layers(in, 3); }));
  std::printf("                                    function %7.3f us\n",
              best(2000, [&] { f(body, in, "", where); }));
  TracedFunction g({.name = "nothing"});
  const auto one = [](TensorSpan all) { return Tensors{all[0] + 1.0}; };
  const Tensor x = draw(8, {8});
  std::printf("x + 1 of 8 floats:                     eager %7.3f us\n",
              best(2000, [&] { x + 1.0; }));
  std::printf("                                    function %7.3f us\n",
              best(2000, [&] { g(one, {&x, 1}, "", where); }));
}

Tensors training_step(TensorSpan in) {
  const auto loss = [&](TensorSpan w) {
    Tensors all{in[0]};
    for (const Tensor& t : w) all.push_back(t);
    return Tensors{nn::cross_entropy(layers(all, 2), in[1])};
  };
  const TensorSpan weights = in.subspan(2);
  const Linearization linear(loss, weights, Where::here(), "step");
  const Tensors slopes = linear.pull(inputs(ones({})), true);
  Tensors out{linear.outputs()[0]};
  for (size_t i = 0; i < weights.size(); ++i) out.push_back(weights[i] - slopes[i] * 0.1);
  return out;
}

void training() {
  Tensors in{draw(1, {32, 784}),  cast(floor(rand({32}) * 10.0), DType::kI64),
             draw(2, {784, 128}), draw(3, {128}),
             draw(4, {128, 10}),  draw(5, {10})};
  TracedFunction f({.name = "step"});
  const Where where = Where::here();
  std::printf("training step 784-128-10, batch 32:    eager %7.1f us\n",
              best(20, [&] { training_step(in); }));
  std::printf("                                    function %7.1f us\n",
              best(20, [&] { f(training_step, in, "", where); }));
}

// The gradient taken inside of the function, outside of it, and without it.
void gradients_of_calls(const char* what, const Tensors& in, int calls) {
  const auto loss = [](TensorSpan all) { return Tensors{mean(square(layers(all, 3)))}; };
  const auto slopes = [&](FlatFunction f, TensorSpan all) {
    const auto of_weights = [&](TensorSpan weights) {
      Tensors whole{all[0]};
      for (const Tensor& t : weights) whole.push_back(t);
      return f(whole);
    };
    const ValueAndGrad both =
        value_and_grad_flat(of_weights, all.subspan(1), Unconnected::kRaise, Where::here());
    Tensors out(both.gradients);
    out.push_back(both.value);
    return out;
  };
  TracedFunction inside({.name = "slopes"}), outside({.name = "loss"});
  const Where where = Where::here();
  const auto eager = [&](TensorSpan all) { return slopes(loss, all); };
  const auto called = [&](TensorSpan all) { return outside(loss, all, "", where); };
  std::printf("%-38s eager %7.1f us\n", what, best(calls, [&] { eager(in); }));
  std::printf("            function(value_and_grad(f)) %9.1f us\n",
              best(calls, [&] { inside(eager, in, "", where); }));
  std::printf("            value_and_grad(function(f)) %9.1f us\n",
              best(calls, [&] { slopes(called, in); }));
}

void calls() {
  const auto network = [](int64_t batch, int64_t from, int64_t wide, int64_t to) {
    return Tensors{draw(1, {batch, from}), draw(2, {from, wide}), draw(3, {wide}),
                   draw(4, {wide, wide}),  draw(5, {wide}),       draw(6, {wide, to}),
                   draw(7, {to})};
  };
  gradients_of_calls("gradient of 4-16-16-2, batch 1:", network(1, 4, 16, 2), 500);
  gradients_of_calls("gradient of 784-256-256-10, batch 64:", network(64, 784, 256, 10), 10);
}

Tensors convolutions(TensorSpan in) {
  const auto loss = [&](TensorSpan w) {
    ConvCallAttrs padded, strided;
    padded.padding = strided.padding = {1};
    strided.stride = {2};
    const Tensor a = relu(nn::conv2d(in[0], w[0], w[1], padded));
    const Tensor b = relu(nn::conv2d(a, w[2], w[3], strided));
    const Tensor c = relu(nn::conv2d(b, w[4], w[5], strided));
    return Tensors{mean(square(c))};
  };
  const TensorSpan weights = in.subspan(1);
  const Linearization linear(loss, weights, Where::here(), "step");
  const Tensors slopes = linear.pull(inputs(ones({})), true);
  Tensors out{linear.outputs()[0]};
  for (size_t i = 0; i < weights.size(); ++i) out.push_back(weights[i] - slopes[i] * 0.1);
  return out;
}

void convolution() {
  const Tensors in{draw(1, {16, 3, 32, 32}),
                   draw(2, {16, 3, 3, 3}),
                   draw(3, {16}),
                   draw(4, {32, 16, 3, 3}),
                   draw(5, {32}),
                   draw(6, {32, 32, 3, 3}),
                   draw(7, {32})};
  TracedFunction f({.name = "step"});
  const Where where = Where::here();
  std::printf("training step of 3 convolutions:       eager %7.1f us\n",
              best(3, [&] { convolutions(in); }));
  std::printf("                                    function %7.1f us\n",
              best(3, [&] { f(convolutions, in, "", where); }));
}

void loop() {
  const Tensor start = draw(1, {8}), rate = draw(2, {8}), rows = draw(3, {1000, 8});
  const auto run = [](TensorSpan in) {
    const ScanResult out = scan_flat(
        [&](TensorSpan s) {
          const Tensor next = tanh(s[0] * in[1] + s[1]);
          return Tensors{next};
        },
        inputs(in[0]), inputs(in[2]), {}, Where::here());
    return Tensors{sum(out.carry[0])};
  };
  const auto both = [&](TensorSpan in) {
    const Linearization linear(run, in, Where::here(), "loop");
    Tensors out(linear.pull(inputs(ones({})), true));
    out.push_back(linear.outputs()[0]);
    return out;
  };
  const Tensors in{start, rate, rows};
  TracedFunction f({.name = "loop"}), g({.name = "slopes"});
  const Where where = Where::here();
  std::printf("scan of 1000 steps, 8 floats: value            %7.1f us\n",
              best(2, [&] { f(run, in, "", where); }));
  std::printf("                              value and slopes %7.1f us\n",
              best(2, [&] { g(both, in, "", where); }));
}

// Bytes of this process in memory.
int64_t resident() {
  std::FILE* const file = std::fopen("/proc/self/statm", "r");
  long pages = 0, mapped = 0;
  if (file == nullptr || std::fscanf(file, "%ld %ld", &mapped, &pages) != 2) return 0;
  std::fclose(file);
  return int64_t{pages} * 4096;
}

// Every call has a size of its own.
void sizes() {
  TracedFunction f({.name = "step"});
  const Where where = Where::here();
  const auto step = [&](int64_t batch) {
    Tensors in{draw(1, {batch, 16}), zeros({batch}, DType::kI64),
               draw(2, {16, 16}),    draw(3, {16}),
               draw(4, {16, 4}),     draw(5, {4})};
    const double begin = seconds();
    f(training_step, in, "", where);
    return seconds() - begin;
  };
  uint64_t state = 1;
  const auto next = [&] {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return 2 + static_cast<int64_t>(state >> 33) % 1000;
  };
  double fresh = 1e9, again = 1e9;
  for (int64_t batch = 2; batch < 100; ++batch) {
    fresh = std::min(fresh, step(batch) * 1e6);
    again = std::min(again, step(batch) * 1e6);
  }
  std::printf("training step 16-16-4 of a new size:         %7.1f us, of the same size %.1f us\n",
              fresh, again);
  int64_t early = 0;
  for (int i = 0; i < 100000; ++i) {
    if (i == 1000) early = resident();
    step(next());
  }
  std::printf("100,000 steps of random sizes: %.1f MB after 1,000, %.1f MB at the end\n",
              static_cast<double>(early) / 1e6, static_cast<double>(resident()) / 1e6);
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view only = argc > 1 ? argv[1] : "";
  if (only.empty() || only == "tiny") tiny_network();
  if (only.empty() || only == "training") training();
  if (only.empty() || only == "calls") calls();
  if (only.empty() || only == "convolution") convolution();
  if (only.empty() || only == "loop") loop();
  if (only.empty() || only == "sizes") sizes();
}
