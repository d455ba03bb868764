// The laws: a call that breaks one raises the same text eagerly and in every mode.
#include <gtest/gtest.h>

#include <algorithm>
#include <regex>

#include "tests/op_suite/batches.h"
#include "weft/base/error.h"
#include "weft/op/variable.h"
#include "weft/runtime/session.h"
#include "weft/runtime/traced.h"
#include "weft/transform/jvp.h"
#include "weft/transform/tape.h"

namespace weft::suite {
namespace {

// What a call raises: the first line, without the notes of where it was; and the law.
struct Raised {
  std::string line = "nothing was raised", law;
};

Raised raised_by(FunctionRef<void()> call) {
  try {
    call();
    return {};
  } catch (const Error& error) {
    const std::string message = error.what();
    return {message.substr(0, message.find('\n')), error.law};
  }
}

// Where a mode cannot say what an eager call says. A law of types has no place here: it is the
// same text in every mode. A law of values is found when the kernel runs, which sees the whole
// batch, and in a graph no longer knows which composite the op is a part of.

// Positions, matrices and axes are those of the batch: "position [0, 1] ... for axis 2".
std::string without_places(std::string line) {
  static const std::regex kPlace(
      R"(\[[0-9, ]*\]|the matrix is|matrix \[[0-9, ]*\] of the batch is|axis [0-9]+)");
  return std::regex_replace(line, kPlace, "#");
}

// "take: index 4 ... [take.range]" of an embedding: what is between the names.
std::string without_names(std::string_view line) {
  const size_t begin = line.find(": "), end = line.rfind(" [");
  if (begin == line.npos || end == line.npos) return std::string(line);
  return std::string(line.substr(begin, end - begin));
}

// Calls whose values also decide a shape: where no value is known they raise for that first.
struct DecidesShape {
  std::string_view op, law;
};
constexpr DecidesShape kDecidesShape[] = {{"bincount", "range"}, {"repeat", "negative"}};

bool decides_shape(const OpTest& test, std::string_view law) {
  return std::ranges::any_of(
      kDecidesShape, [&](const DecidesShape& one) { return one.op == test.op && one.law == law; });
}

// One expected error in all modes. Batches are copies of the call's inputs, so that every example
// breaks the law, and shapes in the text are those of one example.
class ErrorCheck {
 public:
  ErrorCheck(const Case& c, const ExpectedError& expected, Tensors in)
      : case_(c),
        expected_(expected),
        in_(std::move(in)),
        attrs_(attrs_of(c.entry, expected.attrs)) {}

  void check_all() {
    expect(raised_by([&] { call(in_); }), "eager");
    if (in_.empty()) return;
    const Raised staged = raised_by([&] { stage(); });
    is_of_values_ = staged.law != expected_.law;
    check_vmap();
    check_derivatives();
    compare(is_of_values_ ? raised_by([&] { run_graph(); }) : staged, "graph");
    compare(raised_by([&] { run_function(); }), "function");
  }

 private:
  Tensors call(TensorSpan in) const { return run(case_.entry, in, attrs_.data()); }

  void expect(const Raised& raised, const std::string& mode) const {
    EXPECT_EQ(raised.line, expected_.message) << "mode " << mode;
    EXPECT_EQ(raised.law, expected_.law) << "mode " << mode;
  }
  // Ops that are not to be traced say so first.
  void compare(const Raised& raised, const std::string& mode) const {
    if (raised.law == case_.test.untraced_law && !raised.law.empty()) return;
    if (is_of_values_ && decides_shape(case_.test, expected_.law)) return;
    if (!is_of_values_) return expect(raised, mode);
    const bool is_batch = mode.starts_with("vmap"),
               is_graph = mode == "graph" || mode == "function";
    const auto shown = [&](const std::string& line) {
      return is_batch ? without_places(line) : is_graph ? without_names(line) : line;
    };
    EXPECT_EQ(shown(raised.line), shown(expected_.message)) << "mode " << mode;
    EXPECT_EQ(raised.law, expected_.law) << "mode " << mode;
  }

  void check_vmap() const {
    const auto check = [&](const Axes& axes) {
      Tensors batch;
      std::string shown = "vmap, in_axes";
      for (size_t i = 0; i < in_.size(); ++i) {
        batch.push_back(axes[i] ? stacked({in_[i], in_[i]}, *axes[i]) : in_[i]);
        shown += axes[i] ? text(' ', *axes[i]) : " none";
      }
      FlatVmapOptions options;
      options.in_axes = axes;
      const auto f = [&](TensorSpan x) { return call(x); };
      compare(raised_by([&] { vmap_flat(f, batch, options, Where{}); }), shown);
    };
    constexpr size_t kManyInputs = 6;
    if (in_.size() <= kManyInputs) {
      for_each_subset(in_, check);
    } else {
      check(Axes(in_.size(), 0));
    }
  }

  // All inputs, with `values` in the places of those that have derivatives.
  Tensors with_inexact(TensorSpan values) const {
    Tensors out(in_);
    size_t next = 0;
    for (Tensor& x : out) {
      if (is_inexact(x.dtype())) x = values[next++];
    }
    return out;
  }

  void check_derivatives() const {
    Tensors given, reads, watched;
    std::vector<Variable> variables;
    for (const Tensor& x : in_) {
      if (is_inexact(x.dtype())) given.push_back(x);
    }
    if (given.empty()) return;
    const auto f = [&](TensorSpan x) { return call(with_inexact(x)); };
    compare(raised_by([&] { jvp_flat(f, given, given, Where{}); }), "jvp");
    compare(raised_by([&] { const Linearization line(f, given, Where{}); }), "vjp");
    compare(raised_by([&] {
              GradientTape tape;
              watched = given;
              for (Tensor& x : watched) tape.watch(x);
              f(watched);
            }),
            "tape");
    for (const Tensor& x : given) {
      variables.emplace_back(x);
      reads.push_back(variables.back().read());
    }
    compare(raised_by([&] { f(reads); }), "Variables");
  }

  // In a graph of the shapes it has; nothing runs.
  void stage() const {
    const Graph graph;
    const Graph::Scope scope(graph);
    call(placeholders(graph));
  }

  void run_graph() const {
    const Graph graph;
    Tensors places, outputs;
    {
      const Graph::Scope scope(graph);
      places = placeholders(graph);
      outputs = call(places);
    }
    std::vector<Feed> feeds;
    for (size_t i = 0; i < in_.size(); ++i) feeds.push_back({places[i], in_[i]});
    for (const Tensor& place : places) outputs.push_back(place);  // which the op need not read
    Session(graph).run(outputs, feeds);
  }

  Tensors placeholders(const Graph& graph) const {
    Tensors out;
    for (const Tensor& x : in_) {
      out.push_back(graph.placeholder(x.dtype(), Shape(x.shape()), "x"));
    }
    return out;
  }

  void run_function() const {
    TracedFunction traced({.name = "f"});
    const auto f = [&](TensorSpan x) { return call(x); };
    const Shared<const TraceEntry> entry = traced.entry_for(f, in_, "", Where{});
    TracedFunction::call(*entry, in_, Where{});
  }

  const Case& case_;
  const ExpectedError& expected_;
  const Tensors in_;
  const AnyAttrs attrs_;
  bool is_of_values_ = false;  // or of types, which staging finds
};

}  // namespace

void check_error(const Case& c, const ExpectedError& expected) {
  Random random(5);
  Arrays in;
  const DType dtype = std::find(c.dtypes.begin(), c.dtypes.end(), DType::kF32) != c.dtypes.end()
                          ? DType::kF32
                      : c.dtypes.empty() ? DType::kF32
                                         : c.dtypes.front();
  for (size_t i = 0; i < expected.inputs.size(); ++i) {
    in.push_back(make_array(expected.inputs[i], input_dtype(c.entry, i, dtype), random));
  }
  ErrorCheck(c, expected, to_tensors(in)).check_all();
}

}  // namespace weft::suite
