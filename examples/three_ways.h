// One training step, three ways: eagerly, as a graph in a session, as one traced function. The bits
// are the same.
//
// mlp.cc, lenet.cc, lstm.cc and transformer.cc bring a model each, and train it here. three_ways.py
// is the twin in Python.
#pragma once

#include <weft/ir/print.h>
#include <weft/weft.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

namespace three_ways {

using weft::Graph, weft::Session, weft::Tensor, weft::Type, weft::Variable;
using Variables = std::vector<Variable>;
using Weights = std::vector<Tensor>;  // their values
using Loss =
    std::function<Tensor(const Weights& weights, const Tensor& inputs, const Tensor& targets)>;
struct Batch {
  Tensor inputs, targets;
};

// Ends the program with an error unless the condition holds.
inline void require(bool condition, const std::string& message) {
  if (condition) return;
  std::fprintf(stderr, "wrong: %s\n", message.c_str());
  std::exit(1);
}

// Every op computes when it is reached.
inline auto eagerly(const Variables& weights, const Loss& loss_of, double rate) {
  return [=](const Tensor& inputs, const Tensor& targets) {
    const Weights values(weights.begin(), weights.end());
    const auto [loss, slopes] = value_and_grad(loss_of)(values, inputs, targets);
    for (size_t i = 0; i < weights.size(); ++i) weights[i].assign_sub(slopes[i] * rate);
    return loss;
  };
}

// The same lines, traced at the first call: forward, backward and update are one graph, which later
// calls run.
inline auto as_function(const Variables& weights, const Loss& loss_of, double rate) {
  return weft::function(eagerly(weights, loss_of, rate));
}

struct Placeholder {
  const char* name;
  Type type;
};

// Define, then run: placeholders stand for a batch, the gradients and the updates are further
// nodes.
class InSession {
 public:
  InSession(const Variables& weights, const Loss& loss_of, double rate, const Placeholder& inputs,
            const Placeholder& targets) {
    const Graph::Scope scope(graph_);
    inputs_ = graph_.placeholder(inputs.type.dtype, inputs.type.shape, inputs.name);
    targets_ = graph_.placeholder(targets.type.dtype, targets.type.shape, targets.name);
    const Weights values(weights.begin(), weights.end());
    const Tensor loss = loss_of(values, inputs_, targets_);
    const weft::Tensors slopes = gradients(weft::inputs(loss), values);
    fetches_ = {loss};
    for (size_t i = 0; i < weights.size(); ++i) {
      fetches_.push_back(graph_.assign_sub(weights[i], slopes[i] * rate));
    }
  }

  Tensor operator()(const Tensor& inputs, const Tensor& targets) const {
    const weft::Feed feeds[] = {{inputs_, inputs}, {targets_, targets}};
    return session_.run(fetches_, feeds)[0];
  }
  const Graph& graph() const { return graph_; }

 private:
  Graph graph_;
  Session session_{graph_};
  Tensor inputs_, targets_;
  weft::Tensors fetches_;  // the loss, then the new weights
};

inline bool has_option(int argc, char** argv, std::string_view option) {
  return std::find(argv + 1, argv + argc, option) != argv + argc;
}

// Prints the text of a graph, without the lines of the program, and ends it.
[[noreturn]] inline void print_graph(const Graph& graph) {
  std::printf("%s", weft::ir::to_text(*graph.function(), {.lines = false}).c_str());
  std::exit(0);
}

// What is trained: new weights, always the same ones, and the loss of a batch.
struct Model {
  std::function<Variables()> new_weights;
  Loss loss_of;
  double rate;
  Placeholder inputs, targets;
};

// What a way of training came to.
struct Outcome {
  Variables weights;
  std::vector<double> losses;
  std::string bits;
  bool operator==(const Outcome& other) const {
    return losses == other.losses && bits == other.bits;
  }
};

template <class Step>
Outcome outcome_of(const Variables& weights, const Step& step, const std::vector<Batch>& batches) {
  Outcome out{weights, {}, ""};
  for (const Batch& batch : batches) out.losses.push_back(step(batch.inputs, batch.targets).item());
  out.bits = weft::fingerprint(weights);
  return out;
}

// How many shapes there were: "one shape", "7 shapes".
inline std::string shapes(const std::vector<Batch>& batches) {
  std::vector<std::string> texts;
  for (const Batch& batch : batches) texts.push_back(weft::text(batch.inputs.shape()));
  std::sort(texts.begin(), texts.end());
  const auto count = std::unique(texts.begin(), texts.end()) - texts.begin();
  return count == 1 ? "one shape" : std::to_string(count) + " shapes";
}

// Trains three times from the same weights, tells how it went, and gives the trained weights. Asked
// for --graph the program prints the graph of a step instead. Ends with an error if two ways differ
// in a single bit.
inline Weights trained(const Model& model, const std::vector<Batch>& batches, int argc,
                       char** argv) {
  const auto& [new_weights, loss_of, rate, inputs, targets] = model;
  const Variables weights[] = {new_weights(), new_weights(), new_weights()};
  const InSession in_session(weights[1], loss_of, rate, inputs, targets);
  if (has_option(argc, argv, "--graph")) print_graph(in_session.graph());
  const auto function = as_function(weights[2], loss_of, rate);

  const Outcome eager = outcome_of(weights[0], eagerly(weights[0], loss_of, rate), batches);
  const Outcome session = outcome_of(weights[1], in_session, batches);
  const Outcome traced = outcome_of(weights[2], function, batches);
  std::printf("loss %.4f at first, %.4f after %zu steps\n", traced.losses.front(),
              traced.losses.back(), batches.size());
  std::printf("  eager     %s\n  session   %s\n  function  %s\n", eager.bits.c_str(),
              session.bits.c_str(), traced.bits.c_str());
  require(eager == session && eager == traced, "the three ways differ");
  require(function.trace_count() == 1,
          "the function was traced again: " + function.trace_log().back());
  std::printf("  one trace served %s\n", shapes(batches).c_str());
  return Weights(traced.weights.begin(), traced.weights.end());
}

}  // namespace three_ways
