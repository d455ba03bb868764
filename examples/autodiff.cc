// Derivatives in C++: the twins of the main programs of docs/guide/autodiff.md.
#include <weft/transform/custom.h>
#include <weft/weft.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>

using namespace weft;

namespace {

void expect(const char* what, double got, double wanted) {
  std::printf("%-42s %g\n", what, got);
  if (std::abs(got - wanted) > 1e-3) {
    std::printf("expected %g\n", wanted);
    std::exit(1);
  }
}

Tensor scalar(float value) { return Tensor::scalar(DType::kF32, value); }

// What is recorded is what ran: ordinary loops just work.
Tensor power(const Tensor& x, int n) {
  Tensor r = scalar(1);
  while (n-- > 0) r = r * x;
  return r;
}

void tape() {
  const Variable x(scalar(2), {.name = "x"});
  backward(power(x, 4));
  expect("d x^4 / dx at 2", x.grad().value().item(), 32);

  const Variable a(scalar(3)), b(scalar(2));
  GradientTape recorder({.persistent = true});
  const Tensor y = a * a * b;
  recorder.stop();
  expect("d (a a b) / da", recorder.gradient(y, a).item(), 12);
  expect("d (a a b) / db", recorder.gradient(y, b).item(), 9);
}

void training() {
  const Tensor inputs = random::normal(random::Key(0), {64, 3});
  const Tensor targets = matmul(inputs, tensor({1.0f, -2.0f, 0.5f}));
  const Variable weight(zeros({3}), {.name = "weight"});
  optim::Adam optimizer({weight}, {.lr = 0.1});
  Tensor loss;
  for (int step = 0; step < 200; ++step) {
    loss = mean(square(matmul(inputs, weight) - targets));
    optimizer.zero_grad();
    backward(loss);
    optimizer.step();
  }
  expect("loss after 200 steps of Adam", loss.item(), 0);
}

void hooks() {
  const Variable w(tensor({1.0f, 2.0f}));
  const Tensor h = w * w;
  retain_grad(h);
  HookHandle clipped = register_hook(h, [](const Tensor& g) { return clip(g, -1.0, 1.0); });
  int64_t ops = 0;
  const Observe count([&](const Observation&) { ++ops; });
  const Tensor loss = sum(h * 10.0);
  std::printf("%s", draw_dot(loss).substr(0, 15).c_str());
  backward(loss);
  clipped.remove();
  expect("the gradient kept on the way", retained_grad(h).to_vector<float>()[0], 1);
  expect("more than five ops were computed", ops > 5, 1);
}

void transformations() {
  const auto cube = [](const Tensor& x) { return x * x * x; };
  expect("second derivative of x^3 at 2", grad(grad(cube))(scalar(2)).item(), 12);
  expect("forward over reverse", jvp(grad(cube), scalar(2), scalar(1)).second.item(), 12);
  const Tensor slopes = vmap(grad(cube))(tensor({1.0f, 2.0f, 3.0f}));
  expect("vmap(grad(x^3)) at 3", slopes.to_vector<float>()[2], 27);
}

void custom_rules() {
  auto rules = std::make_shared<CustomRules>();
  rules->name = "sigmoid";
  rules->forward = [](CustomContext& context, TensorSpan in) -> Tensors {
    const Tensor y = reciprocal(exp(negative(in[0])) + 1.0);
    context.save_for_backward({&y, 1});
    return {y};
  };
  rules->backward = [](const CustomContext& context, TensorSpan g) -> Tensors {
    const Tensor& y = context.saved_tensors()[0];
    return {g[0] * y * (1.0 - y)};
  };
  const auto f = [&](const Tensor& x) { return apply_custom(rules, inputs(x))[0]; };
  expect("derivative of a custom sigmoid at 0", grad(f)(scalar(0)).item(), 0.25);
}

void errors() {
  const Variable x(scalar(2));
  const Tensor loss = x * x;
  backward(loss);
  try {
    backward(loss);
  } catch (const Error& error) {
    std::printf("%s\n", error.what());
    return;
  }
  std::exit(1);
}

}  // namespace

int main() {
  tape();
  training();
  hooks();
  transformations();
  custom_rules();
  errors();
}
