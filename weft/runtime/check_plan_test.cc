// The plan checker: plans that the planner makes pass, plans broken by hand are refused.
#include "weft/runtime/check_plan.h"

#include <gtest/gtest.h>

#include <cstring>

#include "weft/base/test_error.h"
#include "weft/ir/print.h"
#include "weft/runtime/executable.h"
#include "weft/runtime/frame.h"
#include "weft/runtime/graph.h"
#include "weft/runtime/traced.h"
#include "weft/weft.h"

namespace weft {
namespace {

// Texts name the ops of graphs, which a Graph registers.
const Graph kFirst;

// p, q and s have slots of 1024 bytes; r replaces p or q, which end there; t is the result.
struct Example {
  ir::Document document = ir::parse(
      "weft 1\n"
      "function @f(%a: f32[16, 16]) -> (f32[16, 16]) {\n"
      "  %p = matmul(%a, %a) : f32[16, 16]\n"
      "  %q = matmul(%p, %a) : f32[16, 16]\n"
      "  %r = add(%p, %q) : f32[16, 16]\n"
      "  %s = matmul(%r, %a) : f32[16, 16]\n"
      "  %t = exp(%s) : f32[16, 16]\n"
      "  return %t\n}\n");
  const ir::Function& function = *document.main();
  RunPlan plan;

  Example() {
    const Tensor a = ones({16, 16});
    plan = *make_plan(function, TensorSpan(&a, 1));
  }
  ir::ValueId id(const char* name) const { return function.graph.find_value(name); }
  PlannedValue& value(const char* name) { return plan.values[id(name)]; }
  std::string refusal() const {
    return error_of([&] { check_plan(plan); });
  }
};

TEST(CheckPlan, what_the_planner_makes_passes) {
  Example e;
  EXPECT_EQ(e.plan.instructions.size(), 5u);
  EXPECT_TRUE(e.value("r").shares);
  EXPECT_EQ(e.value("t").home, Home::kFresh);
  check_plan(e.plan);
}

TEST(CheckPlan, overlap) {
  Example e;
  e.value("q").offset = e.value("p").offset;
  EXPECT_EQ(e.refusal(),
            "plan: q, written by instruction 1 (q), and p, needed until instruction 2 (r), share "
            "bytes of the arena: 0 to 1024 and 0 to 1024 [plan.overlap]");
  Example part;
  part.plan.arena.bytes += 4096;
  part.value("p").offset = 0;
  part.value("q").offset = 960;
  part.value("r").offset = part.value("s").offset = 4096 - 1024;
  EXPECT_EQ(part.refusal(),
            "plan: q, written by instruction 1 (q), and p, needed until instruction 2 (r), share "
            "bytes of the arena: 960 to 1984 and 0 to 1024 [plan.overlap]");
}

TEST(CheckPlan, in_place_is_declared_and_by_element) {
  Example e;
  e.value("r").shares = false;
  EXPECT_EQ(e.refusal(),
            "plan: r, written by instruction 2 (r), and p, needed until instruction 2 (r), share "
            "bytes of the arena: 0 to 1024 and 0 to 1024 [plan.overlap]");
  Example product;  // a product reads elements again after it has written others
  product.value("s").offset = product.value("r").offset;
  product.value("s").shares = true;
  EXPECT_EQ(product.refusal(),
            "plan: s, written by instruction 3 (s), and r, needed until instruction 3 (s), share "
            "bytes of the arena: 0 to 1024 and 0 to 1024 [plan.overlap]");
  Example turned;
  turned.value("p").strides = {1, 16};
  turned.value("p").contiguous = false;
  EXPECT_EQ(turned.refusal(),
            "plan: instruction 2 (r) writes r over its input p, whose elements lie elsewhere "
            "[plan.in_place]");
}

TEST(CheckPlan, bounds) {
  Example odd;
  odd.value("p").offset += 4;
  EXPECT_EQ(odd.refusal(), "plan: p has offset 4; it must be a multiple of 64 [plan.bounds]");
  Example high;
  high.value("s").offset = high.plan.arena.bytes;
  EXPECT_EQ(high.refusal(), "plan: s ends at byte 3072, but the arena has 2048 [plan.bounds]");
  Example low;
  low.value("s").offset = -64;
  EXPECT_EQ(low.refusal(), "plan: s has offset -64; it must be a multiple of 64 [plan.bounds]");
  Example shifted;
  shifted.value("s").shift = 64;
  EXPECT_EQ(shifted.refusal(),
            "plan: s covers bytes 64 to 1088 of s, which has 1024 [plan.bounds]");
  Example other;
  other.value("s").root = other.id("t");
  EXPECT_EQ(other.refusal(),
            "plan: s and t, whose memory it is in, have different homes [plan.bounds]");
}

TEST(CheckPlan, order) {
  Example swapped;
  std::swap(swapped.plan.instructions[0], swapped.plan.instructions[1]);
  EXPECT_EQ(swapped.refusal(),
            "plan: instruction 0 (q) reads p, which instruction 1 (p) writes [plan.order]");
  Example missing;
  missing.plan.instructions.erase(missing.plan.instructions.begin());
  EXPECT_EQ(missing.refusal(),
            "plan: instruction 0 (q) reads p, which nothing writes [plan.order]");
}

TEST(CheckPlan, escapes) {
  Example e;
  e.value("t").home = Home::kArena;
  EXPECT_EQ(e.refusal(),
            "plan: the result t is in the arena, which the next run overwrites [plan.escapes]");
}

TEST(CheckPlan, variables) {
  const Variable v(random::normal(random::Key(1), {16, 16}), {.name = "v"});
  const auto program = [&](TensorSpan in) {
    v.assign(v * in[0]);
    return Tensors{sum(in[0])};
  };
  const TraceParameter parameter{Type{DType::kF32, {16, 16}}, "x"};
  const Trace trace = trace_flat(program, std::span(&parameter, 1));
  const NoGrad off;
  Tensors arguments{ones({16, 16}) * 2.0};
  for (const Tensor& t : trace.captured_values()) arguments.push_back(t);
  const RunPlan plan = *executable_of(*trace.function).plan_for(arguments);
  ASSERT_EQ(plan.stretches.size(), 1u);
  const auto refusal = [](const RunPlan& broken) { return error_of([&] { check_plan(broken); }); };
  EXPECT_EQ(refusal(plan), "no error");
  RunPlan twice = plan;
  twice.stretches[0].places.push_back(plan.stretches[0].places[0]);
  EXPECT_EQ(refusal(twice), "plan: the plan writes Multiply over v twice [plan.variable]");
  RunPlan outside = plan;
  outside.stretches[0].last = 0;
  EXPECT_EQ(
      refusal(outside),
      "plan: the plan writes Multiply over v outside of the instructions 1 to 0 [plan.variable]");
  RunPlan layout = plan;
  layout.values[plan.stretches[0].places[0].old].type.shape = {256};
  layout.values[plan.stretches[0].places[0].old].strides = {1};
  EXPECT_EQ(refusal(layout),
            "plan: the plan writes Multiply over v, which has another layout [plan.variable]");
  RunPlan early = plan;  // the sum reads v, too, after it was overwritten
  const uint32_t writer = plan.stretches[0].places[0].writer;
  ASSERT_EQ(writer, 1u);
  std::swap(early.instructions[0], early.instructions[1]);
  early.stretches[0].places[0].writer = early.stretches[0].first = 0;
  early.operands[early.instructions[1].first + 1] = plan.stretches[0].places[0].old;
  EXPECT_EQ(
      refusal(early),
      "plan: instruction 0 (Multiply) writes Multiply over v, which instruction 1 (Sum) reads "
      "[plan.variable]");
}

// By instruction: p is replaced in place by r, q is dead behind r, r behind s, s behind t.
TEST(CheckPlan, dead_blocks) {
  Example e;
  const auto dead = dead_blocks(e.plan);
  ASSERT_EQ(dead.size(), 5u);
  EXPECT_TRUE(dead[0].empty());
  EXPECT_TRUE(dead[1].empty());
  ASSERT_EQ(dead[2].size(), 1u);
  EXPECT_EQ(dead[2][0].begin, e.value("q").offset);
  EXPECT_EQ(dead[2][0].end, e.value("q").offset + 1024);
  ASSERT_EQ(dead[3].size(), 1u);
  EXPECT_EQ(dead[3][0].begin, e.value("r").offset);
  ASSERT_EQ(dead[4].size(), 1u);
  EXPECT_EQ(dead[4][0].begin, e.value("s").offset);
}

// A frame fills what its plan calls dead: with the right blocks nothing is seen of it, a value that
// is read later turns into NaN.
TEST(CheckPlan, frames_poison_dead_memory) {
  Example e;
  const Tensor a = ones({16, 16}) * 0.01;
  const auto result = [&] {
    Frame frame(new_shared<const RunPlan>(e.plan));
    return sum(frame.run(TensorSpan(&a, 1))[0]).item();
  };
  e.plan.dead_blocks.clear();
  const double plain = result();
  e.plan.dead_blocks = dead_blocks(e.plan);
  EXPECT_EQ(result(), plain);
  e.plan.dead_blocks[1].push_back({e.value("p").offset, e.value("p").offset + 1024});
  const double poisoned = result();
  EXPECT_TRUE(poisoned != poisoned) << poisoned;
}

TEST(CheckPlan, poison_is_nan_and_no_index) {
  alignas(16) char bytes[32];
  poison(bytes, sizeof bytes);
  float f;
  double d;
  int64_t i;
  std::memcpy(&f, bytes, sizeof f);
  std::memcpy(&d, bytes, sizeof d);
  std::memcpy(&i, bytes, sizeof i);
  EXPECT_TRUE(f != f);
  EXPECT_TRUE(d != d);
  EXPECT_LT(i, -(int64_t{1} << 40));
}

}  // namespace
}  // namespace weft
