// Results of ops in plans: written to slots of the arena, to memory that leaves the run, or copied
// there from memory that the op has allocated or got as an input. Whatever reads them sees eager's
// bits.
#include <gtest/gtest.h>

#include "weft/base/thread_pool.h"
#include "weft/control/control.h"
#include "weft/core/native.h"
#include "weft/op/apply.h"
#include "weft/op/registry.h"
#include "weft/ops/shape/shape_ops.h"
#include "weft/runtime/session.h"
#include "weft/runtime/traced.h"
#include "weft/weft.h"

namespace weft {
namespace {

// Host ops, of a square matrix: views of their own memory, and of the input.
Tensor copy_of(const Tensor& x) {
  const Tensor made = Tensor::empty(x.dtype(), x.shape());
  native::copy(made, x);
  return made;
}
Tensors run_turned(const NoAttrs&, TensorSpan in, TypeSpan) {
  return {permuted_view(copy_of(in[0]), {1, 0})};
}
Types two_alike(const NoAttrs&, const InferCtx&, TypeSpan in) { return {in[0], in[0]}; }
Tensors run_doubled(const NoAttrs&, TensorSpan in, TypeSpan) {
  const Tensor made = copy_of(in[0]);
  return {made, permuted_view(made, {1, 0})};
}
Tensors run_given(const NoAttrs&, TensorSpan in, TypeSpan) {
  return {permuted_view(in[0], {1, 0})};
}
// A native op with two outputs of one type.
void run_both(const NoAttrs&, TensorSpan in, TensorSpan out) {
  native::copy(out[1], permuted_view(in[0], {1, 0}));
  native::copy(out[0], in[0]);
}

constexpr OpDef op_of(std::string_view name, const InferRule& infer, const KernelRule& kernel,
                      bool is_pair) {
  return {.name = name,
          .doc = "An op of a test.",
          .inputs = {"x: floating"},
          .outputs = is_pair ? ArgList{"a: like x", "b: like x"} : ArgList{"out: like x"},
          .infer = infer,
          .grad = derive::not_differentiable("a test"),
          .batch = batch::per_example("a test"),
          .kernel = kernel};
}
constinit const OpDef kTurned =
    op_of("slot_turned", infer::same, kernel::host<run_turned>(), false);
constinit const OpDef kDoubled =
    op_of("slot_doubled", rule<two_alike>(), kernel::host<run_doubled>(), true);
constinit const OpDef kGiven = op_of("slot_given", infer::same, kernel::host<run_given>(), false);
constinit const OpDef kBoth =
    op_of("slot_both", rule<two_alike>(), kernel::native<run_both>(), true);
constexpr const OpDef* kOps[] = {&kTurned, &kDoubled, &kGiven, &kBoth};

void register_ops() {
  static const bool once = [] {
    register_family({"slots", kOps, {}});
    return true;
  }();
  (void)once;
}

std::vector<float> numbers(const Tensor& t) {
  const Tensor packed = Tensor::empty(t.dtype(), t.shape());
  native::copy(packed, t);
  const auto* const data = static_cast<const float*>(packed.data());
  return {data, data + packed.numel()};
}

// The op between two others: its input and its results are in the arena. The results leave the run,
// too, in memory of their own.
Tensors consumed(const OpDef& op, const Tensor& x) {
  const Tensor in = x + 1.0;
  Tensors out;
  for (const Tensor& t : apply_all(op, inputs(in), kNoAttrs, Where{})) out.push_back(t * 2.0);
  for (const Tensor& t : apply_all(op, inputs(out[0]), kNoAttrs, Where{})) out.push_back(t);
  return out;
}

void expect_same(const OpDef& op, TensorSpan have, TensorSpan want, const char* mode) {
  ASSERT_EQ(have.size(), want.size()) << op.name;
  for (size_t k = 0; k < have.size(); ++k) {
    EXPECT_EQ(numbers(have[k]), numbers(want[k])) << op.name << ", " << mode << ", output " << k;
  }
}

Tensors in_function(const OpDef& op, const Tensor& x) {
  TracedFunction f({.name = "f"});
  return f([&](TensorSpan in) { return consumed(op, in[0]); }, inputs(x), "", Where::here());
}
Tensors in_session(const OpDef& op, const Tensor& x) {
  const Graph graph;
  Tensor place;
  Tensors out;
  {
    const Graph::Scope scope(graph);
    place = graph.placeholder(x.dtype(), Shape(x.shape()), "x");
    out = consumed(op, place);
  }
  const Feed feeds[] = {{place, x}};
  return Session(graph).run(out, feeds);
}
// As the body of a loop over two rows of matrices.
Tensors in_loop(const OpDef& op, const Tensor& pair) {
  TracedFunction f({.name = "f"});
  const auto program = [&](TensorSpan in) {
    return map_flat([&](TensorSpan row) { return consumed(op, row[0]); }, in, Where::here());
  };
  return f(program, inputs(pair), "", Where::here());
}

TEST(OutputSlots, results_have_the_bits_of_eager_mode) {
  register_ops();
  const int before = num_threads();
  for (const int threads : {1, 2}) {
    set_num_threads(threads);
    for (const int64_t n : {3, 20, 300}) {
      const Tensor x = random::normal(random::Key(1), {n, n});
      for (const OpDef* op : kOps) {
        const Tensors want = consumed(*op, x);
        expect_same(*op, in_function(*op, x), want, "function");
        expect_same(*op, in_session(*op, x), want, "session");
        const Tensor thrice = x * 3.0;
        const Tensor pair = stack(inputs(x, thrice), 0);
        const Tensors more = consumed(*op, thrice);
        Tensors both;
        for (size_t k = 0; k < want.size(); ++k) both.push_back(stack(inputs(want[k], more[k]), 0));
        expect_same(*op, in_loop(*op, pair), both, "loop");
      }
    }
  }
  set_num_threads(before);
}

// Offsets are in elements, shifts of a plan in bytes; a reshape of a permuted value is a copy.
TEST(OutputSlots, views_of_wide_elements_have_the_bits_of_eager_mode) {
  const auto program = [](TensorSpan in) {
    const Tensor x = in[0] * 2.0;
    const Tensor turned = permute_dims(x, {1, 0});
    const Tensor part = flip(select_row(turned, 2), {});
    const Tensor packed = reshape(turned, {x.dim(0) * x.dim(1)});
    return Tensors{part * 3.0, part, packed + 1.0, packed, diagonal(x, 1)};
  };
  for (const DType dtype : {DType::kI8, DType::kF16, DType::kF64, DType::kC128}) {
    const Tensor x = cast(reshape(arange(0, 20, 1), {4, 5}), dtype);
    TracedFunction f({.name = "f"});
    const Tensors want = program(inputs(x)), have = f(program, inputs(x), "", Where::here());
    for (size_t k = 0; k < want.size(); ++k) {
      EXPECT_EQ(to_string(have[k]), to_string(want[k])) << name_of(dtype) << ", result " << k;
    }
  }
}

}  // namespace
}  // namespace weft
