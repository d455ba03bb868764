// Forward hooks: what they see and change, how long they stay, and where calls pass them.
#include <gtest/gtest.h>

#include "weft/base/test_error.h"
#include "weft/weft.h"

namespace weft::nn {
namespace {

struct Net : Module<Net> {
  Linear first{3, 4}, last{4, 2};
  static constexpr auto fields = fields_of(field("first", &Net::first), field("last", &Net::last));
  Tensor forward(const Tensor& x) const { return last(tanh(first(x))); }
};

// With an operator() of its own, which hooks do not see.
struct Own : Module<Own> {
  Tensor operator()(const Tensor& x) const { return x * 2.0; }
};

// Of two inputs that stand in a tree, and a word.
struct Mixed : Module<Mixed> {
  std::pair<Tensor, Tensor> forward(const std::pair<Tensor, Tensor>& both, const std::string& how,
                                    const std::vector<Tensor>& more = {}) const {
    const Tensor sum = both.first + both.second;
    return {sum, how == "twice" ? more[0] * 2.0 : both.second};
  }
};

// Counts, and so is changed by a call.
struct Counter : Module<Counter> {
  int calls = 0;
  static constexpr auto fields = kNoFields;
  Tensor forward(const Tensor& x, int& told) {
    told = ++calls;
    return x + 1.0;
  }
};

struct Row : Module<Row> {
  Tensor forward(TensorSpan all) const { return concat(all, 0); }
};

TEST(ForwardHook, SeesEveryCall) {
  Net net;
  std::vector<std::string> seen;
  const auto look = [&](const ModuleBase& module, TensorSpan inputs, TensorSpan outputs) {
    seen.push_back(text(module.type_name(), inputs.size(), inputs[0].shape(), outputs[0].shape()));
  };
  const Hook whole = net.register_forward_hook(look);
  const Hook part = net.first.register_forward_hook(look);
  const Hook before = net.register_forward_pre_hook(
      [&](const ModuleBase&, TensorSpan inputs) { seen.push_back(text(inputs[0].shape())); });
  const Tensor x = ones({5, 3}), wanted = net(x);
  const std::vector<std::string> all{"[5, 3]", "Linear1[5, 3][5, 4]", "Net1[5, 3][5, 2]"};
  EXPECT_EQ(seen, all);
  EXPECT_EQ(fingerprint(net(x)), fingerprint(wanted));
  part.remove();
  seen.clear();
  net(x);
  EXPECT_EQ(seen, (std::vector<std::string>{all[0], all[2]}));
  whole.remove();
  before.remove();
  before.remove();
  seen.clear();
  net(x);
  EXPECT_TRUE(seen.empty());
}

TEST(ForwardHook, ReplacesWhatGoesInAndOut) {
  Net net;
  const Tensor x = ones({1, 3});
  const Tensor plain = net(x), of_two = net(x * 2.0);
  const Hook before = net.register_forward_pre_hook(
      [](const ModuleBase&, TensorSpan inputs) { return inputs[0] * 2.0; });
  EXPECT_EQ(fingerprint(net(x)), fingerprint(of_two));
  // In the order in which they were registered.
  net.register_forward_hook(
      [](const ModuleBase&, TensorSpan, TensorSpan outputs) { return outputs[0] + 1.0; });
  Tensor seen;
  net.register_forward_hook([&](const ModuleBase&, TensorSpan inputs, TensorSpan outputs) {
    seen = inputs[0];
    return Tensors{outputs[0] * 3.0};
  });
  net.register_forward_hook(
      [](const ModuleBase&, TensorSpan, TensorSpan) -> Replaced { return std::nullopt; });
  EXPECT_EQ(fingerprint(net(x)), fingerprint((of_two + 1.0) * 3.0));
  EXPECT_EQ(fingerprint(seen), fingerprint(x * 2.0));
  before.remove();
  EXPECT_EQ(fingerprint(net(x)), fingerprint((plain + 1.0) * 3.0));
  net.register_forward_hook(
      [](const ModuleBase&, TensorSpan, TensorSpan out) { return Tensors{out[0], out[0]}; });
  EXPECT_EQ(error_of([&] { net(x); }),
            "register_forward_hook: the hook of Net gave 2 tensors instead of 1; it gives as many, "
            "or none [register_forward_hook.count]");
}

TEST(ForwardHook, TreesArgumentsAndResultsOfAllKinds) {
  Mixed mixed;
  const Tensor one = ones({1}), five = full({1}, 5.0);
  mixed.register_forward_pre_hook([](const ModuleBase&, TensorSpan in) {
    EXPECT_EQ(in.size(), 3);
    return Tensors{in[0], in[1] * 10.0, in[2]};
  });
  mixed.register_forward_hook(
      [](const ModuleBase&, TensorSpan, TensorSpan out) { return Tensors{out[1], out[0]}; });
  const auto [a, b] = mixed(std::pair(one, five), std::string("twice"), std::vector<Tensor>{five});
  EXPECT_EQ(a.item(), 10);
  EXPECT_EQ(b.item(), 51);

  Counter counter;
  int told = 0;
  EXPECT_EQ(counter(one, told).item(), 2);
  counter.register_forward_hook(
      [](const ModuleBase&, TensorSpan, TensorSpan out) { return out[0] * 2.0; });
  EXPECT_EQ(counter(one, told).item(), 4);
  EXPECT_EQ(told, 2);

  Row row;
  const Tensors both{one, five};
  row.register_forward_pre_hook(
      [](const ModuleBase&, TensorSpan in) { return Tensors{in[1], in[0]}; });
  EXPECT_EQ(row(TensorSpan(both)).to_vector<float>(), (std::vector<float>{5, 1}));
}

TEST(ForwardHook, LayersWithOptionsOfACall) {
  MultiheadAttention attention(4, 2, {.batch_first = true});
  LSTM lstm(4, 3);
  EmbeddingBag bags(5, 2);
  std::vector<std::string> seen;
  const auto look = [&](const ModuleBase& module, TensorSpan in, TensorSpan out) {
    seen.push_back(text(module.type_name(), ' ', in.size(), ' ', out.size()));
  };
  attention.register_forward_hook(look);
  lstm.register_forward_hook(look);
  bags.register_forward_hook(look);
  const Tensor x = ones({2, 3, 4});
  attention(x, x, x, {.is_causal = true});
  attention.with_weights(x, x, x);
  const auto [out, last] = lstm(x);
  EXPECT_EQ(last.second.rank(), 3);
  bags(zeros({2, 3}, DType::kI64));
  EXPECT_EQ(seen, (std::vector<std::string>{"MultiheadAttention 3 1", "MultiheadAttention 3 2",
                                            "LSTM 3 3", "EmbeddingBag 3 1"}));
}

TEST(ForwardHook, CopiesHaveTheHooksOfTheirOriginal) {
  Net net;
  int calls = 0;
  const auto count = [&](const ModuleBase&, TensorSpan, TensorSpan) { ++calls; };
  const Hook hook = net.register_forward_hook(count);
  const Net copy = net;
  copy(ones({1, 3}));
  EXPECT_EQ(calls, 1);
  functional_call(net, {{"first.bias", zeros({4})}}, ones({1, 3}));
  EXPECT_EQ(calls, 2);
  const Sequential chain({net, relu});
  chain(ones({1, 3}));
  EXPECT_EQ(calls, 3);
  net.register_forward_hook(count);  // of its own
  copy(ones({1, 3}));
  EXPECT_EQ(calls, 4);
  hook.remove();
  copy(ones({1, 3}));
  EXPECT_EQ(calls, 4);
  net(ones({1, 3}));
  EXPECT_EQ(calls, 5);
  EXPECT_EQ(net.hooks().size(), 2);
  net.forget_removed_hooks();
  EXPECT_EQ(net.hooks().size(), 1);
}

TEST(ForwardHook, MayRemoveItself) {
  Net net;
  int calls = 0;
  std::optional<Hook> hook;
  hook = net.register_forward_hook([&](const ModuleBase&, TensorSpan, TensorSpan) {
    ++calls;
    hook->remove();
  });
  net(ones({1, 3}));
  net(ones({1, 3}));
  EXPECT_EQ(calls, 1);
}

TEST(ForwardHook, TakesPartInGradientsAndFunctions) {
  Net net;
  const Tensor x = ones({1, 3});
  const auto loss = [&](const Tensor& in) { return sum(net(in)); };
  const Tensor slope = grad(loss)(x);
  net.register_forward_hook(
      [](const ModuleBase&, TensorSpan, TensorSpan out) { return out[0] * 2.0; });
  EXPECT_EQ(fingerprint(grad(loss)(x)), fingerprint(slope * 2.0));
  EXPECT_EQ(fingerprint(function(loss)(x)), fingerprint(loss(x)));
}

TEST(ForwardHook, ModulesOfACallOfTheirOwn) {
  Own own;
  EXPECT_EQ(own(ones({1})).item(), 2);
  EXPECT_EQ(error_of([&] {
              own.register_forward_hook([](const ModuleBase&, TensorSpan, TensorSpan) {});
            }),
            "Module: Own has an operator() of its own, which hooks do not see; name it forward, "
            "and Module calls it [Module.forward]");
}

// Errors of ops inside of layers name the line of the caller, through hooks too.
TEST(ForwardHook, KeepsTheLineOfTheCaller) {
  Linear layer(3, 4);
  for (int with_hook = 0; with_hook < 2; ++with_hook) {
    const int line = __LINE__ + 2;
    try {
      layer(ones({1, 2}));
      FAIL();
    } catch (const Error& error) {
      const std::string here = text("forward_hook_test.cc:", line);
      EXPECT_NE(std::string(error.what()).find(here), std::string::npos) << error.what();
    }
    layer.register_forward_hook([](const ModuleBase&, TensorSpan, TensorSpan) {});
  }
}

}  // namespace
}  // namespace weft::nn
