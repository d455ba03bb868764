// Derivatives in C++: the twins of the main programs of docs/guide/autodiff.md.
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

// Arguments and results are trees: tensors in vectors, tuples, maps and structs with a field list.
struct Layer {
  Tensor weight, bias;
  static constexpr auto fields =
      fields_of(field("weight", &Layer::weight, ""), field("bias", &Layer::bias, ""));
};

Tensor model(const Layer& layer, const Tensor& x) {
  return sum(tanh(matmul(x, layer.weight) + layer.bias));
}

void transformations() {
  const Layer layer{ones({3, 2}), zeros({2})};
  const auto of = [](const Layer& l, const Tensor& x) { return model(l, x); };
  const Layer slopes = grad(of)(layer, ones({3}));
  expect("rows of the gradient of the weight",
         static_cast<double>(slopes.weight.shape()[0].value()), 3);
  const Layer each = vmap(grad(of), {.in_axes = {std::nullopt, 0}})(layer, ones({16, 3}));
  expect("one gradient per example", static_cast<double>(each.weight.shape()[0].value()), 16);

  const auto area = [](const Tensor& a, const Tensor& b) { return a * b; };
  const auto [da, db] = grad<0, 1>(area)(scalar(2), scalar(3));
  expect("d (a b) / da at (2, 3)", da.item(), 3);
  expect("d (a b) / db at (2, 3)", db.item(), 2);
  const auto with_square = [](const Tensor& x) { return std::pair(x * x * x, x * x); };
  const auto [slope, square] = grad(with_aux(with_square))(scalar(2));
  expect("what a function gives beside its value", square.item(), 4);
  expect("the gradient with it", slope.item(), 12);
}

void nesting() {
  const auto cube = [](const Tensor& x) { return x * x * x; };
  expect("second derivative of x^3 at 2", grad(grad(cube))(scalar(2)).item(), 12);
  expect("forward over reverse", jvp(grad(cube), scalar(2), scalar(1)).second.item(), 12);
  const Tensor slopes = vmap(grad(cube))(tensor({1.0f, 2.0f, 3.0f}));
  expect("vmap(grad(x^3)) at 3", slopes.to_vector<float>()[2], 27);
  const auto total = [&](const Tensor& x) { return sum(cube(x)); };
  const Tensor x = tensor({1.0f, 2.0f});
  expect("hessian of sum(x^3)", hessian(total)(x).to_vector<float>()[3], 12);
  expect("its product with (1, 1)", hvp(total, x, ones({2})).to_vector<float>()[1], 12);
  expect("jacrev and jacfwd agree", sum(abs(jacrev(cube)(x) - jacfwd(cube)(x))).item(), 0);
  const auto [y, pull] = vjp(cube, scalar(2));
  expect("vjp", pull(scalar(1)).item(), 12);
  const auto [z, push] = linearize(cube, scalar(2));
  expect("linearize", push(scalar(0.5f)).item(), 6);
  expect("checkpoint", grad(checkpoint(cube))(scalar(2)).item(), 12);
  // Siskind and Pearlmutter: d/dx (x * d/dy (x + y)) is 1.
  const auto nested = [](const Tensor& a) {
    return a * grad([a](const Tensor& b) { return a + b; })(scalar(1));
  };
  expect("levels are not confused", grad(nested)(scalar(1)).item(), 1);
}

struct Sigmoid : Function<Sigmoid> {
  static Tensor forward(CustomContext& context, const Tensor& x) {
    const Tensor y = reciprocal(exp(negative(x)) + 1.0);
    context.save_for_backward(y);
    return y;
  }
  static Tensor backward(const CustomContext& context, const Tensor& g) {
    const Tensor& y = context.saved_tensors()[0];
    return g * y * (1.0 - y);
  }
};

void custom_rules() {
  const auto log1pexp = custom_gradient([](const Tensor& x) {
    const Tensor e = exp(x);
    return std::pair(log1p(e), [e](const Tensor& g) { return g * (1.0 - 1.0 / (e + 1.0)); });
  });
  expect("custom_gradient: log(1 + e^x) at 0", grad(log1pexp)(scalar(0)).item(), 0.5);
  const auto sigmoid = [](const Tensor& x) { return Sigmoid::apply(x); };
  expect("Function: a sigmoid at 0", grad(sigmoid)(scalar(0)).item(), 0.25);
  const auto sine = custom_jvp([](const Tensor& x) { return sin(x); },
                               [](const Tensor& x, const Tensor& t) { return cos(x) * t; });
  expect("custom_jvp: reverse mode is the transpose", grad(sine)(scalar(0)).item(), 1);
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
  nesting();
  custom_rules();
  errors();
}
