// Columns vmap(grad) and grad(vmap): gradients of a batch against a loop over its examples, for
// every set of batched inputs.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/op_suite/batches.h"
#include "weft/op/builtin.h"

namespace weft::suite {
namespace {

// The gradient of f in its differentiable inputs; the others, and `cotangents`, are constants.
Tensors gradient(const Differentiable& f, TensorSpan all, TensorSpan cotangents) {
  const auto inner_f = [&](TensorSpan values) {
    Tensors given(all.begin(), all.end());
    for (size_t k = 0; k < values.size(); ++k) given[f.places()[k]] = values[k];
    return f.at(given);
  };
  return pulled(inner_f, f.chosen(all), cotangents);
}

// A batch, its cotangents, and what a loop over the examples gives.
struct Loop {
  Batch batch;
  std::vector<Tensors> cotangents, gradients;  // per example

  Loop(const Case& c, const Differentiable& f, const Axes& axes, bool shared_cotangents)
      : batch(batch_of(c, f.inputs(), axes)) {
    Random random(19);
    for (size_t e = 0; e < kExamples; ++e) {
      const Tensors in = batch.example(e);
      const Tensors u = random_like(f.at(in), random);
      cotangents.push_back(shared_cotangents && e > 0 ? cotangents[0] : u);
      gradients.push_back(gradient(f, in, cotangents[e]));
    }
  }
  static Tensors column(const std::vector<Tensors>& per_example, size_t k) {
    Tensors out;
    for (const Tensors& of_example : per_example) out.push_back(of_example[k]);
    return out;
  }
};

// vmap over the gradient: inputs and cotangents in, one gradient for each example out.
void check_vmap_of_grad(const Case& c, const Differentiable& f, const Axes& axes, bool shared) {
  const Loop loop(c, f, axes, shared);
  const size_t count = f.inputs().size();
  Tensors in = loop.batch.stacked;
  FlatVmapOptions options;
  options.in_axes = axes;
  for (size_t k = 0; k < loop.cotangents[0].size(); ++k) {
    in.push_back(shared ? loop.cotangents[0][k] : stacked(Loop::column(loop.cotangents, k), 0));
    options.in_axes.push_back(shared ? std::nullopt : std::optional<int64_t>(0));
  }
  const auto call = [&](TensorSpan x) { return gradient(f, x.first(count), x.subspan(count)); };
  const Tensors got = vmap_flat(call, in, options, Where{});
  ASSERT_EQ(got.size(), f.places().size());
  for (size_t k = 0; k < got.size(); ++k) {
    EXPECT_EQ(bit_difference(got[k], stacked(Loop::column(loop.gradients, k), 0)), "")
        << "the gradient of input " << f.places()[k];
  }
}

// The sum over examples, in long double.
Array summed(const Tensors& examples) {
  Array out = to_array(examples[0]);
  for (size_t e = 1; e < examples.size(); ++e) {
    const Array one = to_array(examples[e]);
    for (size_t i = 0; i < out.values.size(); ++i) {
      out.values[i].re += one.values[i].re;
      out.values[i].im += one.values[i].im;
    }
  }
  return out;
}

// The gradient of vmap: of a batched input an example each, of a shared one the sum.
void check_grad_of_vmap(const Case& c, const Differentiable& f, const Axes& axes) {
  const Loop loop(c, f, axes, false);
  FlatVmapOptions options;
  options.in_axes = axes;
  Tensors cotangents;
  for (size_t k = 0; k < loop.cotangents[0].size(); ++k) {
    cotangents.push_back(stacked(Loop::column(loop.cotangents, k), 0));
  }
  const auto mapped = [&](TensorSpan values) {
    Tensors given = loop.batch.stacked;
    for (size_t k = 0; k < values.size(); ++k) given[f.places()[k]] = values[k];
    return vmap_flat([&](TensorSpan x) { return f.at(x); }, given, options, Where{});
  };
  const Tensors got = pulled(mapped, f.chosen(loop.batch.stacked), cotangents);
  for (size_t k = 0; k < got.size(); ++k) {
    const size_t place = f.places()[k];
    const Tensors each = Loop::column(loop.gradients, k);
    SCOPED_TRACE(text("the gradient of input ", place));
    if (axes[place] && c.test.sums_batches.empty()) {
      EXPECT_EQ(bit_difference(got[k], stacked(each, *axes[place])), "");
    } else {
      double tolerance = tolerance_of(got[k].dtype());
      for (const Tensor& u : cotangents) tolerance = std::max(tolerance, tolerance_of(u.dtype()));
      tolerance *= kExamples * c.test.tolerance_factor;
      const Array wanted = axes[place] ? to_array(stacked(each, *axes[place])) : summed(each);
      EXPECT_EQ(difference(to_array(got[k]), wanted, tolerance), "");
    }
  }
}

std::string shown(const Axes& axes) {
  std::string out = "in_axes ";
  for (const auto& axis : axes) out += axis ? text(*axis, " ") : "none ";
  return out;
}

void expect_refused(const Case& c, bool vmap_inside) {
  expect_refusal(c, [&](const Differentiable& f, TensorSpan in) {
    FlatVmapOptions options;
    options.in_axes.assign(in.size(), 0);
    const auto mapped = [&](FlatFunction g, TensorSpan x) {
      return vmap_flat(g, x, options, Where{});
    };
    const auto slope = [&](FlatFunction g, TensorSpan x) {
      return refused_gradient(g, x, misses_gradient(c));
    };
    Tensors batch;
    for (const Tensor& x : in) batch.push_back(stacked({x, x}, 0));
    if (vmap_inside) {
      slope([&](TensorSpan x) { return mapped(f, x); }, batch);
    } else {
      mapped([&](TensorSpan x) { return slope(f, x); }, batch);
    }
  });
}

}  // namespace

void check_vmap_grad(const Case& c) {
  if (refuses_gradient(c)) return expect_refused(c, false);
  for_each_differentiable(c, {DType::kF32, DType::kF64, DType::kC128}, Samples::kAll,
                          [&](const Differentiable& f, const Sample&, const AnyAttrs&) {
                            bool shared = false;
                            for_each_subset(f.inputs(), [&](const Axes& axes) {
                              SCOPED_TRACE(shown(axes));
                              check_vmap_of_grad(c, f, axes, shared);
                              shared = !shared;
                            });
                          });
}

void check_grad_vmap(const Case& c) {
  if (refuses_gradient(c)) return expect_refused(c, true);
  for_each_differentiable(c, {DType::kF32, DType::kF64, DType::kC128}, Samples::kAll,
                          [&](const Differentiable& f, const Sample&, const AnyAttrs&) {
                            for_each_subset(f.inputs(), [&](const Axes& axes) {
                              SCOPED_TRACE(shown(axes));
                              check_grad_of_vmap(c, f, axes);
                            });
                          });
}

}  // namespace weft::suite
