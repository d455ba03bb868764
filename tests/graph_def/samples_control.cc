// Calls, conditions and loops, their gradients, and batches of them.
#include "tests/graph_def/samples.h"
#include "weft/control/control.h"
#include "weft/state/state.h"
#include "weft/weft.h"

namespace weft::graph_def_samples {
namespace {

Tensor normal(uint64_t seed, const Shape& shape) {
  return random::normal(random::Key(seed), shape);
}

// x^n, by a loop whose length the run tells.
Tensor power(const Tensor& x, const Tensor& n) {
  const auto [i, out] = while_loop([&](Tensor i, Tensor) { return i < n; },
                                   [&](Tensor i, Tensor r) { return std::tuple(i + 1, r * x); },
                                   std::tuple(Tensor(0), ones_like(x)));
  return out;
}

Tensors gradients_of(FlatFunction f, TensorSpan x) {
  const ValueAndGrad out = value_and_grad_flat(f, x, Unconnected::kRaise, Where::here());
  Tensors all = out.gradients;
  all.push_back(out.value);
  return all;
}

void add_choices(std::vector<Sample>& out) {
  const Tensor x = normal(21, {3, 2});
  const auto either = [](TensorSpan in) {
    const auto yes = [](TensorSpan x) { return Tensors{exp(x[0]), sum(x[0])}; };
    const auto no = [](TensorSpan x) { return Tensors{x[0] * 2.0, max(x[0])}; };
    return cond_flat(sum(in[0]) > in[1], yes, no, in.first(1), Where::here());
  };
  out.push_back({"cond_then", {x, Tensor(-99.0)}, either});
  out.push_back({"cond_else", {x, Tensor(99.0)}, either});
  const auto one_of = [](TensorSpan in) {
    const auto scaled = [&](double by) {
      return [&in, by](TensorSpan x) { return Tensors{x[0] * by + sum(in[0])}; };
    };
    const auto a = scaled(1), b = scaled(10), c = scaled(100);
    const FlatFunction branches[] = {a, b, c};
    return switch_flat(in[1], branches, in.first(1), "switch_case", Where::here());
  };
  for (const int64_t index : {0, 1, 2, 7, -3}) {
    out.push_back({text("switch_", index < 0 ? "below" : text(index)), {x, Tensor(index)}, one_of});
  }
  out.push_back(
      {"cond_gradient", {x}, [](TensorSpan in) {
         const auto f = [](TensorSpan in) {
           return Tensors{sum(
               cond(sum(in[0]) > 0.0, [&] { return sin(in[0]); }, [&] { return in[0] * in[0]; }))};
         };
         return gradients_of(f, in);
       }});
  out.push_back({"switch_lanes", {normal(22, {5, 2})}, [](TensorSpan in) {
                   const auto each = [](TensorSpan x) {
                     return Tensors{cond(
                         sum(x[0]) > 0.0, [&] { return exp(x[0]); }, [&] { return x[0] - 1.0; })};
                   };
                   return vmap_flat(each, in, {.in_axes = {0}, .out_axes = {0}}, Where::here());
                 }});
}

void add_loops(std::vector<Sample>& out) {
  const Tensor x = normal(23, {3}), xs = normal(24, {4, 3});
  out.push_back(
      {"while", {x, Tensor(5)}, [](TensorSpan in) { return Tensors{power(in[0], in[1])}; }});
  out.push_back(
      {"while_none", {x, Tensor(0)}, [](TensorSpan in) { return Tensors{power(in[0], in[1])}; }});
  out.push_back({"while_gradient", {x, Tensor(4)}, [](TensorSpan in) {
                   const auto f = [&](TensorSpan x) { return Tensors{sum(power(x[0], in[1]))}; };
                   return gradients_of(f, in.first(1));
                 }});
  const auto decayed = [](TensorSpan in, bool is_reverse) {
    const auto step = [&](TensorSpan x) {
      const Tensor next = tanh(x[0] * 0.5 + x[1]);
      return Tensors{next, next * in[0], x[0]};
    };
    const ScanResult all =
        scan_flat(step, in.first(1), in.subspan(1, 1), {.reverse = is_reverse}, Where::here());
    return Tensors{all.carry[0], all.rows[0], all.rows[1]};
  };
  out.push_back({"scan", {x, xs}, [=](TensorSpan in) { return decayed(in, false); }});
  out.push_back({"scan_reverse", {x, xs}, [=](TensorSpan in) { return decayed(in, true); }});
  out.push_back(
      {"scan_empty", {x, zeros({0, 3})}, [=](TensorSpan in) { return decayed(in, false); }});
  const auto slopes = [=](TensorSpan in) {
    const auto f = [&](TensorSpan x) {
      const Tensors all = decayed(x, false);
      return Tensors{sum(all[0]) + sum(all[1] * all[2])};
    };
    return gradients_of(f, in);
  };
  out.push_back({"scan_gradient", {x, xs}, slopes});
  out.push_back({"scan_symbolic",
                 {normal(25, {3, 2}), normal(26, {3, 3, 2})},
                 [](TensorSpan in) {  // the first axis of both is a symbol
                   const auto step = [&](TensorSpan x) {
                     const Dim n = in[0].dim(0);
                     const Tensor next = x[0] + broadcast_to(sum(x[1], Ints{0}), {n, 2});
                     return Tensors{next, reshape(next, {n * 2})};
                   };
                   const ScanResult all =
                       scan_flat(step, in.first(1), in.subspan(1, 1), {}, Where::here());
                   return Tensors{all.carry[0], all.rows[0]};
                 },
                 true});
  out.push_back({"nested", {x, xs, Tensor(2)}, [](TensorSpan in) {
                   const auto step = [&](TensorSpan x) {
                     const Tensor p = power(x[1], in[2]);
                     const Tensor next =
                         cond(sum(p) > 1.0, [&] { return x[0] + p; }, [&] { return x[0] * 0.5; });
                     return Tensors{next, p};
                   };
                   const ScanResult all =
                       scan_flat(step, in.first(1), in.subspan(1, 1), {}, Where::here());
                   return Tensors{all.carry[0], all.rows[0]};
                 }});
  out.push_back({"checked", {x}, [](TensorSpan in) {
                   assert_true(sum(in[0]) > -99.0, "the sum is too small");
                   return Tensors{in[0] * 2.0};
                 }});
}

}  // namespace

void add_control(std::vector<Sample>& out) {
  add_choices(out);
  add_loops(out);
}

}  // namespace weft::graph_def_samples
