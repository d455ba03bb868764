// Modules of a user's own: what they hold, their modes, states, copies of parameters, and texts.
#include <gtest/gtest.h>

#include <algorithm>

#include "weft/base/test_error.h"
#include "weft/base/test_folder.h"
#include "weft/weft.h"

namespace weft::nn {
namespace {

struct Head {
  Linear last{3, 2};
  static constexpr auto fields = fields_of(field("last", &Head::last));
};

struct Net : Module<Net> {
  Linear first{4, 3};
  std::vector<Linear> more{Linear(3, 3)};
  Head head;  // a struct with a field list, which is no module
  Variable scale{Tensor::scalar(DType::kF32, 2.0), {.name = "scale"}};
  Variable count{Tensor::scalar(DType::kI64, 0), {.name = "count", .trainable = false}};
  std::map<std::string, Variable> named;
  static constexpr auto fields = fields_of(
      field("first", &Net::first), field("more", &Net::more), field("head", &Net::head),
      field("scale", &Net::scale), buffer("count", &Net::count), field("named", &Net::named));

  Tensor forward(const Tensor& x) const { return head.last(more[0](tanh(first(x)))) * scale; }
};

template <class T>
std::vector<std::string> names(const std::vector<std::pair<std::string, T>>& named) {
  std::vector<std::string> out;
  for (const auto& [name, thing] : named) out.push_back(name);
  return out;
}
using Names = std::vector<std::string>;

TEST(Module, HoldsWhatItsFieldsName) {
  Net net;
  const Names all{"first.weight",     "first.bias",     "more.0.weight", "more.0.bias",
                  "head.last.weight", "head.last.bias", "scale"};
  EXPECT_EQ(names(net.named_parameters()), all);
  EXPECT_EQ(names(net.named_buffers()), Names{"count"});
  EXPECT_EQ(names(net.named_modules()), (Names{"", "first", "more.0", "head.last"}));
  EXPECT_EQ(names(net.named_children()), (Names{"first", "more.0", "head.last"}));
  EXPECT_EQ(net.state_dict().size(), 8);
  net.named.emplace("extra", Variable(ones({2})));
  EXPECT_EQ(names(net.named_parameters()).back(), "named.extra");
}

TEST(Module, SharedVariablesAreListedOnce) {
  Sequential net({Linear(3, 3), Linear(3, 3)});
  net.get<Linear>(1).weight = net.get<Linear>(0).weight;
  EXPECT_EQ(names(net.named_parameters()), (Names{"0.weight", "0.bias", "1.bias"}));
  State state = net.state_dict();
  state["1.weight"] = state["0.weight"];
  EXPECT_TRUE(net.load_state_dict(state));  // others save it under both names
  net.to(DType::kF64);
  EXPECT_TRUE(net.get<Linear>(1).weight.same_place(net.get<Linear>(0).weight));
  EXPECT_EQ(net.get<Linear>(1).weight.dtype(), DType::kF64);
  const State values{{"0.weight", zeros({3, 3}, DType::kF64)}};
  const Tensor out = functional_call(net, values, ones({1, 3}, DType::kF64));
  EXPECT_EQ(fingerprint(out), fingerprint(reshape(net.get<Linear>(1).bias.value(), {1, 3})));
}

TEST(Module, CopiesShareVariablesAndHaveTheirOwnModes) {
  Net net;
  Net copy = net;
  copy.eval();
  EXPECT_TRUE(net.first.training);
  EXPECT_FALSE(copy.first.training);
  copy.scale.assign(Tensor::scalar(DType::kF32, 5));
  EXPECT_EQ(net.scale.value().item(), 5);
}

TEST(Module, Modes) {
  Net net;
  EXPECT_TRUE(net.training);
  for (ModuleBase* const module : net.eval().modules()) EXPECT_FALSE(module->training);
  for (ModuleBase* const module : net.train().modules()) EXPECT_TRUE(module->training);
  net.first.freeze();
  EXPECT_EQ(net.parameters().size(), 7);
  backward(sum(net(ones({1, 4}))));
  EXPECT_FALSE(net.first.weight.grad().defined());
  EXPECT_TRUE(net.scale.grad().defined());
  EXPECT_TRUE(net.unfreeze().first.weight.trainable());
  Names seen;
  net.apply([&](ModuleBase& module) { seen.push_back(module.type_name()); });
  EXPECT_EQ(seen, (Names{"Linear", "Linear", "Linear", "Net"}));
}

TEST(Module, OtherDtypes) {
  Net net;
  EXPECT_EQ(net.to(DType::kF64)(ones({1, 4}, DType::kF64)).dtype(), DType::kF64);
  EXPECT_EQ(net.count.dtype(), DType::kI64);
  Linear layer(2, 2);
  EXPECT_EQ(layer.compute_in(DType::kBF16)(ones({1, 2})).dtype(), DType::kBF16);
  EXPECT_EQ(layer.weight.dtype(), DType::kF32);
  EXPECT_EQ(layer.compute_in(std::nullopt)(ones({1, 2})).dtype(), DType::kF32);
  EXPECT_EQ(error_of([&] { net.to(DType::kI32); }),
            "to: dtype is int32; parameters are floats, such as float32 [to.dtype]");
}

TEST(Module, Loading) {
  Net net;
  const State state = Net().state_dict();
  EXPECT_TRUE(net.load_state_dict(state));
  EXPECT_EQ(fingerprint(net), fingerprint(state));
  State wrong = state;
  wrong["scale"] = ones({2});
  wrong["other"] = ones({1});
  wrong.erase("first.bias");
  EXPECT_EQ(error_of([&] { net.load_state_dict(wrong); }),
            "load_state_dict: the state does not fit Net: <6 matched; missing: first.bias; "
            "unexpected: other; scale: its shape is [2], but the module's is []>; with strict = "
            "false what matches is loaded [load_state_dict.match]");
  EXPECT_EQ(fingerprint(net), fingerprint(state));
  const LoadReport report = net.load_state_dict(wrong, /*strict=*/false);
  EXPECT_FALSE(report);
  EXPECT_EQ(report.matched.size(), 6);
  EXPECT_EQ(report.missing, Names{"first.bias"});
  State narrow = state, wide = state;
  narrow["scale"] = Tensor::scalar(DType::kF64, 1);
  EXPECT_EQ(net.load_state_dict(narrow, false).mismatched.at("scale"),
            "its dtype is float64, but the module's is float32");
  wide["scale"] = Tensor::scalar(DType::kBF16, 1);
  EXPECT_TRUE(net.load_state_dict(wide));
}

TEST(Module, StatesAreSavedAndLoaded) {
  const TestFolder folder;
  const std::string path = folder.path() + "/net.safetensors";
  Net net, other;
  save(path, net.state_dict());
  EXPECT_NE(fingerprint(other), fingerprint(net));
  EXPECT_TRUE(other.load_state_dict(load(path)));
  EXPECT_EQ(fingerprint(other), fingerprint(net));
  const TensorDict held = net.state_dict();  // one type
  EXPECT_TRUE(other.load_state_dict(held));
}

// Names of nodes, of those that compute.
Names names_in(const Graph& graph) {
  Names out;
  for (const Operation operation : graph.operations()) {
    const std::string& name = graph.node(operation).name;
    if (name.ends_with("Matmul") || name.ends_with("Relu")) out.push_back(name);
  }
  return out;
}

TEST(Module, CallsInGraphsHaveScopes) {
  const Net net;
  const Sequential outer({Linear(4, 4), Sequential({Linear(4, 4), ReLU()})});
  const Graph graph;
  {
    const Graph::Scope scope(graph);
    const Tensor x = graph.placeholder(DType::kF32, {2, 4}, "x");
    outer(x);
    relu(x);
  }
  const Names wanted{"0/Matmul", "1/0/Matmul", "1/1/Relu", "Relu"};
  EXPECT_EQ(names_in(graph), wanted) << graph.text();
  // A layer that nobody around holds has none; and where ops compute now there are none.
  const Graph other;
  {
    const Graph::Scope scope(other);
    const Linear alone(4, 4);
    const Tensor y = alone(other.placeholder(DType::kF32, {2, 4}, "x"));
    EXPECT_EQ(other.name_of(y).find('/'), std::string::npos) << other.name_of(y);
  }
  EXPECT_EQ(outer(ones({2, 4})).type(), (Type{DType::kF32, {2, 4}}));
}

struct Nothing : Module<Nothing> {
  Tensor forward(const Tensor& x) const { return x; }
};
struct OptionsOnly : Module<OptionsOnly> {
  double factor = 3;
  static constexpr auto fields = kNoFields;
  Tensor forward(const Tensor& x) const { return x * factor; }
};

std::vector<std::string> notes_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.notes;
  }
  return {};
}

TEST(Module, ErrorsNoteThePathOfTheModule) {
  Net net;
  net.more[0] = Linear(5, 3);
  const Tensor x = ones({2, 4});
  const std::string note = "in the module 'more.0' (Linear)";
  for (const auto& call : std::vector<std::function<void()>>{
           [&] { net(x); }, [&] { function([&](const Tensor& y) { return net(y); })(x); }}) {
    const std::vector<std::string> notes = notes_of(call);
    EXPECT_EQ(std::ranges::count(notes, note), 1);
    EXPECT_EQ(notes[0], note);
  }
  Sequential outer({Linear(4, 4), Sequential({Linear(3, 3)})});
  EXPECT_EQ(notes_of([&] { outer(x); })[0], "in the module '1.0' (Linear)");
  EXPECT_FALSE(notes_of([&] { Linear(3, 3)(x); })[0].starts_with("in the module"));
}

TEST(Module, MayBeWithoutFields) {
  EXPECT_TRUE(Nothing().parameters().empty());
  EXPECT_TRUE(OptionsOnly().parameters().empty());
  EXPECT_EQ(OptionsOnly()(ones({1})).item(), 3);
}

TEST(Module, FunctionalCall) {
  Net net;
  const Tensor x = random::normal(random::Key(1), {5, 4});
  State values;
  for (const auto& [name, parameter] : net.named_parameters()) values[name] = parameter.value();
  const auto loss = [&](const State& given, const Tensor& in) {
    const Tensor out = functional_call(net, given, in);
    return sum(out * out);
  };
  const State slopes = grad(loss)(values, x);
  backward(loss({}, x));
  State taped;
  for (const auto& [name, parameter] : net.named_parameters()) {
    taped[name] = parameter.grad().value();
  }
  EXPECT_EQ(fingerprint(slopes), fingerprint(taped));
  EXPECT_EQ(fingerprint(function(grad(loss))(values, x)), fingerprint(slopes));
  const State each = vmap(grad(loss), {.in_axes = {std::nullopt, 0}})(values, x);
  EXPECT_EQ(each.at("first.weight").type(), (Type{DType::kF32, {5, 3, 4}}));
  const Tensor all = sum(each.at("first.weight"), Ints{0});
  EXPECT_LT(max(abs(all - slopes.at("first.weight"))).item(), 1e-4);
  EXPECT_EQ(jvp([&](const State& v) { return loss(v, x); }, values, values).second.rank(), 0);
  EXPECT_EQ(error_of([&] { functional_call(net, {{"scales", Tensor(1.0)}}, x); }),
            "functional_call: Net has no parameter 'scales'; it has first.weight, first.bias, "
            "more.0.weight, more.0.bias, head.last.weight, head.last.bias, scale, count "
            "[functional_call.name]");
}

TEST(Module, GivenValuesCannotBeAssignedTo) {
  const BatchNorm1d norm(3);
  const State state = norm.state_dict();
  EXPECT_EQ(error_of([&] { functional_call(norm, state, ones({4, 3})); }),
            "Variable: a value was given in place of the Variable running_mean, and cannot be "
            "assigned to; leave it out of the values, or give it back as a result "
            "[Variable.given]");
  State parameters;
  for (const auto& [name, parameter] : norm.named_parameters()) {
    parameters[name] = parameter.value();
  }
  functional_call(norm, parameters, ones({4, 3}));
  EXPECT_EQ(norm.num_batches_tracked.value().item_int(), 1);
}

TEST(Module, Texts) {
  Sequential model({Linear(4, 8), ReLU(), Sequential({Linear(8, 2, {.bias = false})})});
  EXPECT_EQ(model.repr(),
            "Sequential(\n  (0): Linear(4, 8)\n  (1): ReLU()\n  (2): Sequential(\n"
            "    (0): Linear(8, 2, bias=False)\n  )\n)");
  EXPECT_EQ(text(Net().first), "Linear(4, 3)");
  EXPECT_EQ(Linear(kInferred, 3).repr(), "Linear(None, 3)");
}

}  // namespace
}  // namespace weft::nn
