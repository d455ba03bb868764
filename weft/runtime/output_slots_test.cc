// Ops that leave their results elsewhere than in their slots of the arena: turned, reversed or
// partial views of a slot, and slots of other outputs. Whatever reads the results sees eager's
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

// Of a square matrix. What Tensor::empty gives is filled with it, then seen otherwise.
Tensor filled_with(const Tensor& x, TypeSpan out) {
  const Tensor made = Tensor::empty(out[0].dtype, out[0].shape);
  native::copy(made, x);
  return made;
}

Tensors run_turned(const NoAttrs&, TensorSpan in, TypeSpan out) {
  return {permuted_view(filled_with(in[0], out), {1, 0})};
}
Tensors run_reversed(const NoAttrs&, TensorSpan in, TypeSpan out) {
  const Tensor made = filled_with(in[0], out);
  const int64_t rows = made.dim(0).value(), columns = made.dim(1).value();
  return {made.view(made.shape(), Ints{-columns, 1}, (rows - 1) * columns)};
}
// Every row is the last one.
Tensors run_spread(const NoAttrs&, TensorSpan in, TypeSpan out) {
  const Tensor made = filled_with(in[0], out);
  const int64_t rows = made.dim(0).value(), columns = made.dim(1).value();
  return {made.view(made.shape(), Ints{0, 1}, (rows - 1) * columns)};
}
Types two_alike(const NoAttrs&, const InferCtx&, TypeSpan in) { return {in[0], in[0]}; }
// Each in the slot of the other, the first one turned as well.
Tensors run_exchanged(const NoAttrs&, TensorSpan in, TypeSpan out) {
  const Tensor first = filled_with(in[0], out), second = filled_with(in[0], out);
  return {permuted_view(second, {1, 0}), first};
}
Tensors run_doubled(const NoAttrs&, TensorSpan in, TypeSpan out) {
  const Tensor made = filled_with(in[0], out);
  return {made, permuted_view(made, {1, 0})};
}
// A row that lies in the slot of the matrix, and the matrix turned in its own.
Types row_and_matrix(const NoAttrs&, const InferCtx&, TypeSpan in) {
  return {Type{in[0].dtype, Shape{in[0].shape[1]}}, in[0]};
}
Tensors run_row_of_it(const NoAttrs&, TensorSpan in, TypeSpan out) {
  const Tensor made = filled_with(in[0], out.subspan(1));
  return {made.view(out[0].shape, Ints{1}, made.dim(1).value()), permuted_view(made, {1, 0})};
}
Tensors run_given(const NoAttrs&, TensorSpan in, TypeSpan) {
  return {permuted_view(in[0], {1, 0})};
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
constinit const OpDef kTurned = op_of("slot_turned", infer::same, kernel::run<run_turned>(), false);
constinit const OpDef kReversed =
    op_of("slot_reversed", infer::same, kernel::run<run_reversed>(), false);
constinit const OpDef kSpread = op_of("slot_spread", infer::same, kernel::run<run_spread>(), false);
constinit const OpDef kExchanged =
    op_of("slot_exchanged", rule<two_alike>(), kernel::run<run_exchanged>(), true);
constinit const OpDef kDoubled =
    op_of("slot_doubled", rule<two_alike>(), kernel::run<run_doubled>(), true);
constinit const OpDef kRowOfIt =
    op_of("slot_row_of_it", rule<row_and_matrix>(), kernel::run<run_row_of_it>(), true);
constinit const OpDef kGiven = op_of("slot_given", infer::same, kernel::run<run_given>(), false);
constexpr const OpDef* kOps[] = {&kTurned,  &kReversed, &kSpread, &kExchanged,
                                 &kDoubled, &kRowOfIt,  &kGiven};

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

// The op between two others: its input and its results are in the arena.
Tensors consumed(const OpDef& op, const Tensor& x) {
  const Tensor in = x + 1.0;
  Tensors out;
  for (const Tensor& t : apply_all(op, inputs(in), kNoAttrs, Where{})) out.push_back(t * 2.0);
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

TEST(OutputSlots, views_of_slots_are_moved_before_they_are_written) {
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

}  // namespace
}  // namespace weft
