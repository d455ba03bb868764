// Writes for each sample NAME.pb, and NAME.txt with the dtype, shape and bytes of inputs and
// results; and the same again, where all of it is in a branch: NAME_inside. And the graph of a
// Saver, with the names of a step and of what it changes: saver.graph_def, saver.names.
#include <cstdio>
#include <filesystem>
#include <fstream>

#include "tests/graph_def/samples.h"
#include "weft/base/error.h"
#include "weft/control/control.h"
#include "weft/core/literal.h"
#include "weft/io/graph_def/graph_def.h"
#include "weft/io/saver/saver.h"
#include "weft/ops/creation/tensor.h"
#include "weft/ops/math/operators.h"
#include "weft/runtime/graph.h"

namespace weft::graph_def_samples {

// "input x0 float32 3,4 0102..."
static std::string line_of(std::string_view kind, std::string_view name, const Tensor& value) {
  std::string out = text(kind, ' ', name, ' ', value.dtype(), ' ');
  for (const Dim dim : value.shape()) out += text(dim, ',');
  out += " 0x";
  for (const std::byte b : bytes_of(value)) {
    constexpr std::string_view kDigits = "0123456789abcdef";
    out += kDigits[static_cast<size_t>(b) / 16];
    out += kDigits[static_cast<size_t>(b) % 16];
  }
  return out + '\n';
}

// The sample in both branches of a condition, whose flag is an input, too.
static Sample inside(const Sample& sample) {
  Sample out = sample;
  out.name += "_inside";
  out.has_flag = true;
  out.inputs.push_back(Tensor(true));
  out.compute = [sample](TensorSpan in) {
    const TensorSpan operands = in.first(in.size() - 1);
    return cond_flat(in[in.size() - 1], sample.compute, sample.compute, operands, Where::here());
  };
  return out;
}

// "step:0", as TensorFlow calls it.
static std::string name_of(const Graph& graph, const Tensor& value) {
  const std::string name = graph.staging().graph().name_of(graph.staging().value_of(value));
  return name.find(':') == std::string::npos ? name + ":0" : name;
}

static void write_files(const Sample& sample, const std::filesystem::path& folder) {
  const Graph graph;
  Tensors symbols, results;
  {
    const Graph::Scope scope(graph);
    for (size_t i = 0; i < sample.inputs.size(); ++i) {
      Shape shape(sample.inputs[i].shape());
      const bool is_flag = sample.has_flag && i + 1 == sample.inputs.size();
      if (sample.batch_is_symbolic && !is_flag) shape[0] = Dim::symbol("n");
      symbols.push_back(graph.placeholder(sample.inputs[i].dtype(), shape, text("x", i)));
    }
    results = sample.compute(symbols);
  }
  std::ofstream(folder / (sample.name + ".pb"), std::ios::binary)
      << io::graph_def(graph.staging().graph()).bytes();
  std::ofstream list(folder / (sample.name + ".txt"));
  for (size_t i = 0; i < sample.inputs.size(); ++i) {
    list << line_of("input", text("x", i, ":0"), sample.inputs[i]);
  }
  const Tensors ours = sample.compute(sample.inputs);
  for (size_t k = 0; k < results.size(); ++k) {
    list << line_of("result", name_of(graph, results[k]), ours[k]);
  }
}

static void write_saver(const std::filesystem::path& folder) {
  const Graph graph;
  Tensor step, sum;
  {
    const Graph::Scope scope(graph);
    const Variable w = graph.variable(tensor({1.0f, 2.0f}), {.name = "w"});
    const Variable b = graph.variable(tensor({10.0f}), {.name = "layer/b"});
    step = graph.assign_add(w, tensor({5.0f, 5.0f}));
    sum = w + b;
  }
  const Saver saver(graph);
  std::ofstream(folder / "saver.graph_def", std::ios::binary)
      << io::graph_def(graph.staging().graph()).bytes();
  std::ofstream(folder / "saver.names") << name_of(graph, step) << ' ' << name_of(graph, sum);
}

}  // namespace weft::graph_def_samples

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "graph_def_samples FOLDER\n");
    return 2;
  }
  weft::graph_def_samples::write_saver(argv[1]);
  int failures = 0;
  for (const weft::graph_def_samples::Sample& sample : weft::graph_def_samples::all()) {
    try {
      weft::graph_def_samples::write_files(sample, argv[1]);
      weft::graph_def_samples::write_files(weft::graph_def_samples::inside(sample), argv[1]);
    } catch (const weft::Error& error) {
      std::fprintf(stderr, "%s: %s\n", sample.name.c_str(), error.what());
      ++failures;
    }
  }
  return failures == 0 ? 0 : 1;
}
