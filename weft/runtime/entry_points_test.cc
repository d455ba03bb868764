// Every function of the library that reads a tensor's memory, given every kind of tensor: it reads
// the value, or names the argument and says what the tensor is.
#include <gtest/gtest.h>

#include <filesystem>
#include <functional>

#include "weft/base/test_error.h"
#include "weft/op/concrete_value.h"
#include "weft/weft.h"

namespace weft {
namespace {

using data::Dataset, data::Element, data::Generation;
using Use = std::function<Tensor(const Tensor&)>;

Tensor rows() { return tensor({{1.0f, 2.0f, 3.0f}, {4.0f, 5.0f, 6.0f}}); }

Tensor first_of(const Dataset& dataset) {
  data::Iterator iterator = dataset.iterator();
  Element out;
  if (!iterator.next(out)) return {};
  return out[0];
}

Tensor run_fed(const Tensor& fed, bool by_callable) {
  const Graph graph;
  Tensor x, y;
  {
    const Graph::Scope scope(graph);
    x = graph.placeholder(DType::kF32, {Dim::symbol("n"), 3}, "x");
    y = erf(x) * 0.0 + x;
  }
  const Session session(graph);
  return by_callable ? session.make_callable({y}, {x})(fed)[0] : session.run({y}, {{x, fed}})[0];
}

Tensor saved(const Tensor& value, const char* ending) {
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / text("weft_entry_points_", getpid());
  std::filesystem::create_directories(folder);
  const std::string path = (folder / text("a", ending)).string();
  save(path, {{"x", value}});
  Tensor out = load(path).at("x");
  std::filesystem::remove_all(folder);
  return out;
}

// By name, and how errors name the argument.
struct Entry {
  std::string says;
  Use use;
  bool is_aside = false;      // nothing is computed from the value: grad and jvp let it pass
  bool runs_outside = false;  // outside of all open transformations, so that vmap seems to be over
};
const std::map<std::string, Entry>& entries() {
  static const std::map<std::string, Entry> all{
      {"Session::run", {"Session: feed x", [](const Tensor& x) { return run_fed(x, false); }}},
      {"SessionCallable", {"Session: feed x", [](const Tensor& x) { return run_fed(x, true); }}},
      {"from_tensor_slices",
       {"from_tensor_slices: the element",
        [](const Tensor& x) { return first_of(Dataset::from_tensor_slices(x).batch(2)); }}},
      {"from_tensors",
       {"from_tensors: the element in leaf 0",
        [](const Tensor& x) { return first_of(Dataset::from_tensors({x, x})); }}},
      {"from_generator",
       {"from_generator: the element",
        [](const Tensor& x) {
          const auto make = [x]() -> Generation {
            return [x, left = 1](Element& out) mutable {
              out = Element(x);
              return left-- > 0;
            };
          };
          return reshape(first_of(Dataset::from_generator(make).batch(1)), {2, 3});
        }}},
      {"map",  // whose functions run without gradients
       {"map: the element",
        [](const Tensor& x) {
          const auto give = [x](const Element&) { return Element(x); };
          return reshape(first_of(Dataset::range(1).map(give).batch(1)), {2, 3});
        },
        /*is_aside=*/true, /*runs_outside=*/true}},
      {"fit",
       {"fit: x",
        [](const Tensor& x) {
          nn::Linear net(3, 3);
          train::Model model(net);
          optim::SGD sgd(net.parameters(), {.lr = 0.01});
          model.compile(sgd, "mse");
          model.fit({x, rows()}, {.epochs = 1, .verbose = 0});
          return rows();
        }}},
      {"save", {"save: 'x'", [](const Tensor& x) { return saved(x, ".safetensors"); }, true}},
      {"save npz", {"save: 'x'", [](const Tensor& x) { return saved(x, ".npz"); }, true}},
      {"fingerprint",
       {"fingerprint: a tensor",
        [](const Tensor& x) {
          EXPECT_EQ(fingerprint(x).size(), 32u);
          return rows();
        },
        true}},
      {"concrete_value",
       {"reader: x", [](const Tensor& x) { return concrete_value(x, {"reader", "x"}); }}},
  };
  return all;
}

// Every entry with a tensor of this kind: "" for the right value, or the text of the error.
std::map<std::string, std::string> outcomes(const std::function<void(const Use&)>& kind) {
  std::map<std::string, std::string> out;
  for (const auto& [name, entry] : entries()) {
    kind([&, &name = name, &entry = entry](const Tensor& x) {
      try {
        const Tensor value = entry.use(x);
        const bool is_right = value.to_vector<float>() == rows().to_vector<float>();
        out[name] = is_right ? "" : text("wrong: ", to_string(value));
      } catch (const Error& error) {
        out[name] = error.what();
      }
      return x;
    });
  }
  EXPECT_EQ(out.size(), entries().size());
  return out;
}

void expect_values(const std::function<void(const Use&)>& kind) {
  for (const auto& [name, text] : outcomes(kind)) EXPECT_EQ(text, "") << name;
}

const std::string kInsideVmap =
    " needs a value, but a tensor of type f32[2, 3] has none inside of vmap, where it stands for "
    "all examples at once; ";
const std::string kOfEndedVmap = " needs a value, but a tensor of type f32[2, 3] (vmap level ";

// `law` and the words behind the name of the argument; aside: of those entries, too?
void expect_errors(const std::function<void(const Use&)>& kind, const std::string& words,
                   const std::string& law, bool aside = true) {
  for (const auto& [name, text] : outcomes(kind)) {
    const Entry& entry = entries().at(name);
    if (entry.is_aside && !aside) {
      EXPECT_EQ(text, "") << name;
      continue;
    }
    const bool seems_over = entry.runs_outside && words == kInsideVmap;
    EXPECT_TRUE(text.starts_with(entry.says + (seems_over ? kOfEndedVmap : words)))
        << name << ": " << text;
    EXPECT_NE(text.find(law), std::string::npos) << name << ": " << text;
  }
}

TEST(EntryPoints, ReadValues) {
  const Variable variable(rows());
  expect_values([](const Use& use) { use(rows()); });
  expect_values([&](const Use& use) { use(variable); });
  expect_values([&](const Use& use) { use(variable.read() * 1.0); });
  expect_values(
      [](const Use& use) { use(permute_dims(packed(permute_dims(rows(), {1, 0})), {1, 0})); });
  expect_values([&](const Use& use) {
    const GradientTape tape;
    use(variable.read() * 1.0);
  });
  expect_values([&](const Use& use) {
    Tensor kept;
    grad([&](const Tensor& x) {
      kept = x;
      return sum(x);
    })(rows());
    use(kept);
  });
}

TEST(EntryPoints, RefuseWhatIsDifferentiated) {
  expect_errors([](const Use& use) { grad([&](const Tensor& x) { return sum(use(x)); })(rows()); },
                " of a tensor that grad differentiates would be a constant, and its gradient lost",
                ".gradient]", /*aside=*/false);
  expect_errors([](const Use& use) { jvp(use, rows(), rows()); },
                " of a tensor that jvp differentiates would be a constant, and its gradient lost",
                ".gradient]", /*aside=*/false);
  // NoGrad and stop_gradient say that a constant is meant.
  expect_values([](const Use& use) {
    grad([&](const Tensor& x) {
      use(stop_gradient(x));
      return sum(x);
    })(rows());
  });
  expect_values([](const Use& use) {
    grad([&](const Tensor& x) {
      {
        const NoGrad off;
        use(x);
      }
      return sum(x);
    })(rows());
  });
}

TEST(EntryPoints, RefuseWhatHasNoValue) {
  const Tensor one = rows(), batch = stack(inputs(one, one), 0);
  expect_errors([&](const Use& use) { vmap(use)(batch); }, kInsideVmap, ".concrete]");
  expect_errors(
      [&](const Use& use) {
        Tensor kept;
        vmap([&](const Tensor& x) { return kept = x; })(batch);
        use(kept);
      },
      kOfEndedVmap, ".concrete]");
  expect_errors(
      [](const Use& use) {
        const Graph graph;
        Tensor x;
        {
          const Graph::Scope scope(graph);
          x = graph.placeholder(DType::kF32, {2, 3}, "other");
        }
        use(x);
      },
      " needs a value, but a tensor of type f32[2, 3] is part of a graph and has one only in a "
      "run; fetch it by a run of a Session",
      ".concrete]");
  expect_errors([](const Use& use) { use(nn::Input({3})); },
                " needs a value, but a tensor of type f32[batch, 3] has none here (it is ",
                ".concrete]");
}

TEST(EntryPoints, RefuseUndefinedTensors) {
  EXPECT_EQ(error_of([] { run_fed(Tensor(), false); }),
            "Session: feed x needs a value, but it is an undefined tensor; give one with a value "
            "[Session.concrete]");
  EXPECT_EQ(error_of([] { Dataset::from_tensors(Tensor()); }),
            "from_tensors: the element needs a value, but it is an undefined tensor; give one with "
            "a value [from_tensors.concrete]");
  EXPECT_EQ(error_of([] { Variable(rows()).assign(Tensor()); }),
            "assign: needs a value, but it is undefined [assign.value]");
}

// A value of the graph itself, given to a placeholder of known shape that broadcasts.
TEST(EntryPoints, RefuseValuesOfTheGraphItself) {
  const Graph graph;
  Tensor x, constant, out;
  {
    const Graph::Scope scope(graph);
    x = graph.placeholder(DType::kF32, {1, 5, 1}, "x");
    constant = zeros({1, 5, 1});
    out = x != zeros({2});
  }
  EXPECT_EQ(error_of([&] { Session(graph).run({out}, {{x, constant}}); }),
            "Session: feed x needs a value, but a tensor of type f32[1, 5, 1] is part of a graph "
            "and has one only in a run; fetch it by a run of a Session, or compute what is known "
            "now in an EagerScope [Session.concrete]");
}

// Below the gates memory is not read either.
TEST(EntryPoints, CheckMemoryBelowApply) {
  const Tensor recorded = Variable(rows()).read() * 2.0;
  EXPECT_EQ(error_of([&] { eager_compute(kAdd, inputs(rows(), recorded), &kNoAttrs); }),
            "add: input 1 is from=multiply, and its memory was to be read; give it as a value "
            "[add.concrete]");
  const Tensor out = Tensor::empty(DType::kF32, recorded.shape());
  EXPECT_EQ(error_of([&] { native::copy(out, recorded); }),
            "tensor: a tensor of type f32[2, 3] is not in memory here (it is from=multiply); "
            "compute with ops, or read it outside of the transformation [tensor.concrete]");
}

}  // namespace
}  // namespace weft
