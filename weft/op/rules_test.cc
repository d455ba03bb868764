// The registry and the running of rules: what they raise where an op is missing something.
#include <gtest/gtest.h>

#include <thread>

#include "weft/base/error.h"
#include "weft/op/apply.h"
#include "weft/op/grad_plan.h"
#include "weft/op/hooks.h"
#include "weft/op/levels.h"
#include "weft/op/observe.h"
#include "weft/op/registry.h"
#include "weft/op/variable.h"
#include "weft/op/vjp_op.h"
#include "weft/weft.h"

namespace weft {
namespace {

template <class F>
std::string raised_by(F f) {
  try {
    f();
  } catch (const Error& error) {
    const std::string what = error.what();
    return what.substr(0, what.find('\n'));
  }
  return "nothing";
}

Expr twice(Expr x) { return x + x; }

// An op of somebody's that kernelgen has not seen.
constinit const OpDef kTwice{
    .name = "twice",
    .doc = "Twice its input.",
    .inputs = {"x: floating"},
    .outputs = {"out: like x"},
    .infer = infer::same,
    .grad = derive::not_differentiable("nobody has written it"),
    .batch = batch::per_example("nobody has written it"),
    .kernel = kernel::elementwise(twice),
};

constexpr OpDef op_with(std::string_view name, ArgList inputs) {
  return {.name = name,
          .doc = "",
          .inputs = inputs,
          .outputs = {"out: any"},
          .infer = infer::same,
          .grad = derive::not_differentiable("a test"),
          .batch = batch::broadcasting(),
          .kernel = kernel::elementwise(twice)};
}

std::string registering(const OpDef& op) {
  const OpDef* const ops[] = {&op};
  return raised_by([&] { register_family({"mine", ops, {}}); });
}

TEST(Registry, UnregisteredOpsAndMissingKernels) {
  const Tensor x = ones({2});
  EXPECT_EQ(raised_by([&] { apply(kTwice, inputs(x), kNoAttrs, Where{}); }),
            "twice: the op is not registered; add its family with register_family "
            "[twice.registered]");
  EXPECT_EQ(registering(kTwice), "nothing");
  EXPECT_EQ(raised_by([&] { apply(kTwice, inputs(x), kNoAttrs, Where{}); }),
            "twice: there is no kernel twice/f32/c; run kernelgen for the op's library "
            "[twice.kernel]");
  EXPECT_EQ(registering(kTwice),
            "register: there is an op named twice already; choose another name [register.name]");
}

TEST(Registry, AFamilyIsAddedAsAWholeOrNotAtAll) {
  static constinit const OpDef first = op_with("whole_first", {"x: any"});
  static constinit const OpDef bad = op_with("whole_bad", {"x: numbers"});
  static constinit const OpDef taken = op_with("add", {"x: any"});
  static constinit const OpDef same = op_with("whole_first", {"x: any"});
  const size_t before = registered_ops().size();
  for (const OpDef* third : {&bad, &taken, &same}) {
    const OpDef* const ops[] = {&first, third};
    EXPECT_NE(raised_by([&] { register_family({"mine", ops, {}}); }), "nothing");
    EXPECT_EQ(find_op("whole_first"), nullptr);
    EXPECT_EQ(registered_ops().size(), before);
  }
  EXPECT_EQ(registering(first), "nothing");
  EXPECT_NE(find_op("whole_first"), nullptr);
}

TEST(Registry, Signatures) {
  static constinit const OpDef no_class = op_with("no_class", {"x: numbers"});
  static constinit const OpDef no_colon = op_with("no_colon", {"x"});
  static constinit const OpDef no_like = op_with("no_like", {"x: like y"});
  EXPECT_EQ(registering(no_class),
            "no_class: 'numbers' is no class of dtypes [no_class.signature]");
  EXPECT_EQ(registering(no_colon), "no_colon: 'x' has no colon [no_colon.signature]");
  EXPECT_EQ(registering(no_like),
            "no_like: 'x: like y' is like an argument that does not come before it "
            "[no_like.signature]");
}

TEST(Rules, MissingGradients) {
  const Tensor x = ones({3});
  const OpDef& argmax_op = *find_op("argmax")->op;
  const AnyAttrs attrs(argmax_op.attrs);
  const Tensor in[] = {x}, out[] = {argmax(x)};
  constexpr bool wanted[] = {true};
  const GradCtx cx{in, out, wanted, Where{}};
  EXPECT_EQ(raised_by([&] { call_vjp(argmax_op, attrs.data(), cx, in); }),
            "argmax: has no gradient: argmax is piecewise constant [argmax.gradient]");
  EXPECT_EQ(raised_by([&] { call_jvp(argmax_op, attrs.data(), cx, in); }),
            "argmax: has no gradient: argmax is piecewise constant [argmax.gradient]");
  const OpDef& backward = vjp_op(*find_op("exp")->op, 1);
  EXPECT_EQ(raised_by([&] { call_jvp(backward, &kNoAttrs, cx, in); }),
            "exp.vjp1: has no forward rule; add one in the op's file [exp.vjp1.jvp]");
}

// x -> x, though nobody wrote its derivative.
Tensors run_plain(const NoAttrs&, TensorSpan in, TypeSpan) { return {in[0]}; }
constinit const OpDef kUnwritten{
    .name = "unwritten",
    .doc = "Its input.",
    .inputs = {"x: floating"},
    .outputs = {"out: like x"},
    .infer = infer::same,
    .grad = derive::missing("nobody has written it"),
    .batch = batch::broadcasting(),
    .kernel = kernel::host<run_plain>(),
};

TEST(Rules, APathWithoutARuleRaisesBesideOneThatHasIt) {
  EXPECT_EQ(registering(kUnwritten), "nothing");
  const auto unwritten = [](const Tensor& x) {
    return apply(kUnwritten, inputs(x), kNoAttrs, Where{});
  };
  const std::string raised =
      "unwritten: the path of a gradient ends at unwritten (nobody has written it), called at "
      "unknown "
      "line: its part would be lost; take stop_gradient of what goes in if it is meant "
      "as a constant [unwritten.gradient]";
  const Variable v(ones({}));
  EXPECT_EQ(raised_by([&] { backward(v.read() * unwritten(v.read())); }), raised);
  EXPECT_EQ(raised_by([&] { backward(v.read() * unwritten(stop_gradient(v.read()))); }), "nothing");
  const auto product = [&](TensorSpan x) { return Tensors{x[0] * unwritten(x[0])}; };
  const Tensor x = ones({});
  EXPECT_EQ(raised_by([&] { jvp_flat(product, {&x, 1}, {&x, 1}, Where{}); }), raised);
  // What needs no derivative of it is as ever.
  const auto compared = [&](TensorSpan x) {
    return Tensors{where(unwritten(x[0]) > 0.0, x[0], 0.0)};
  };
  EXPECT_EQ(raised_by([&] { backward(compared(Tensors{v.read()})[0]); }), "nothing");
}

TEST(Rules, NoExamplesHaveNoShape) {
  const Tensor in[] = {zeros({0, 3})};
  constexpr bool batched[] = {true};
  EXPECT_EQ(raised_by([&] { call_batch(kTwice, &kNoAttrs, {in, batched, 0, Where{}}); }),
            "twice: runs example by example (nobody has written it), so a batch of 0 examples has "
            "no shape [twice.batch]");
}

TEST(Attributes, WhatCannotBeRead) {
  const AttrsType& type = *find_op("sum")->attrs;
  EXPECT_EQ(raised_by([&] { parse_attrs(type, "axis=[1"); }).substr(0, 12), "attributes: ");
  for (const char* text : {"axis=[1", "axis=x", "keepdims=2", "axis=[1] keepdims=true", "depth=1",
                           "keepdims", "dtype=float", "axis=[99999999999999999999]", "="}) {
    const std::string what = raised_by([&] { parse_attrs(type, text); });
    EXPECT_TRUE(what.ends_with("[attributes.parse]")) << text << ": " << what;
  }
}

// A value that nothing interprets any more, and under which there is none.
class Lost {
 public:
  Lost() : node_(&kType) {
    node_.level = next_level_id(false);
    node_.rank = 1;
    node_.dims = &size_;
  }
  Tensor tensor() { return Tensor::adopt(&node_); }

 private:
  static inline const TracerType kType{"lost", [](Tracer*) noexcept {},
                                       [](const Tracer*) -> const TensorNode* { return nullptr; },
                                       [](const Tracer*) -> std::string { return "a lost value"; }};
  const Dim size_ = 2;
  Tracer node_;
};

TEST(Levels, TracersDoNotOutliveTheirLevel) {
  Lost lost;
  const Tensor x = lost.tensor();
  EXPECT_EQ(raised_by([&] { exp(x); }),
            "exp: an input (a lost value) belongs to a transformation that has ended, or that runs "
            "on another thread; return it from the transformed function instead [exp.escaped]");
}

TEST(Levels, RulesReadWhatTheySaid) {
  const Tensor x = type_only(ones({2}));
  EXPECT_EQ(raised_by([&] { exp(x); }),
            "exp: a gradient rule reads the value of an input that it said it does not read; add "
            "it to what the rule reads [exp.saves]");
}

TEST(Tensors, AnUndefinedOneRaises) {
  const Tensor nothing;
  const std::string expected =
      "tensor: there is no tensor here: a handle that was never given one [tensor.undefined]";
  EXPECT_EQ(raised_by([&] { (void)nothing.dtype(); }), expected);
  EXPECT_EQ(raised_by([&] { (void)nothing.shape(); }), expected);
  EXPECT_EQ(raised_by([&] { (void)nothing.item(); }), expected);
  EXPECT_EQ(raised_by([&] { (void)nothing.to_vector<float>(); }), expected);
}

TEST(Variables, WhatTheyRefuse) {
  EXPECT_EQ(raised_by([] { Variable().value(); }),
            "Variable: there is no Variable here [Variable.undefined]");
  EXPECT_EQ(raised_by([] { Variable{Tensor()}; }),
            "Variable: needs a value, but it is undefined [Variable.value]");
  const Variable v(ones({2}), {.name = "w"});
  EXPECT_EQ(raised_by([&] { v.assign(ones({3})); }),
            "assign: the Variable w holds f32[2] but the value is f32[3]; a Variable keeps "
            "its dtype and shape [assign.type]");
  Lost lost;
  const Tensor x = lost.tensor();
  EXPECT_EQ(raised_by([&] { v.assign(x); }),
            "assign: the value is batched by vmap, and a Variable holds one value; reduce over the "
            "batch first, or return the value from the function [assign.batched]");
  backward(sum(v * v));
  const Variable gradient = v.grad();
  v.clear_grad();
  EXPECT_FALSE(v.grad().defined());
  backward(sum(v * 5.0));
  EXPECT_EQ(gradient.value().to_vector<float>()[0], 2);  // who holds it keeps what was
  EXPECT_EQ(v.grad().value().to_vector<float>()[0], 5);
  EXPECT_EQ(raised_by([&] { v.set_grad(ones({3})); }),
            "grad: the Variable w holds f32[2] but the gradient is f32[3]; a gradient has its "
            "dtype and shape [grad.type]");
}

TEST(Hooks, WhatTheyRefuse) {
  const Tensor nothing, plain = ones({2});
  const auto same = [](const Tensor& g) { return g; };
  EXPECT_EQ(raised_by([&] { register_hook(nothing, same); }),
            "register_hook: the tensor is undefined [register_hook.input]");
  EXPECT_EQ(raised_by([&] { register_hook(plain, same); }),
            "register_hook: this value (f32[2]) was computed from no trainable Variable, or while "
            "recording was off: no gradient will come by; make what it depends on a Variable, and "
            "compute it outside of no_grad [register_hook.path]");
  const Variable fixed(plain, {.name = "w", .trainable = false});
  EXPECT_EQ(raised_by([&] { register_hook(fixed, same); }),
            "register_hook: the Variable w is not trainable: no gradient will come by "
            "[register_hook.trainable]");
}

TEST(Observers, BeginOnceAndEndWhereTheyBegan) {
  Observe observer([](const Observation&) {});
  EXPECT_EQ(raised_by([&] { observer.begin(); }),
            "observe: the observer has begun already [observe.twice]");
  std::string elsewhere;
  std::thread([&] { elsewhere = raised_by([&] { observer.end(); }); }).join();
  EXPECT_EQ(elsewhere,
            "observe: the observer was begun on another thread; it must end there "
            "[observe.thread]");
}

}  // namespace
}  // namespace weft
