// Column replay: an op and its derivatives write the graphs that tests/golden/replay.txt has hashes
// of. Every compiler compares with the same file: C++ leaves open in which order operands are
// evaluated, and an op written so that it matters would differ.
#include "tests/op_suite/replay.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

#include "tests/op_suite/batches.h"
#include "weft/base/error.h"
#include "weft/base/sha256.h"
#include "weft/ir/print.h"
#include "weft/runtime/traced.h"

namespace weft::suite {
namespace {

// Traced with a symbol for every size above 1. Lines are left out: they are the suite's own.
std::string traced_text(FlatFunction f, TensorSpan in) {
  try {
    TracedFunction traced({.name = "f"});
    const Shared<const TraceEntry> entry = traced.entry_for(f, in, "", Where{});
    return ir::to_text(*entry->trace.function, {.lines = false});
  } catch (const Error& error) {
    return text("raises [", error.op, ".", error.law, "]\n");
  }
}

// Real numbers, and complex ones where there are any: rules conjugate.
std::vector<DType> traced_dtypes(const Case& c) {
  const auto has = [&](DType dtype) {
    return std::find(c.dtypes.begin(), c.dtypes.end(), dtype) != c.dtypes.end();
  };
  std::vector<DType> out{has(DType::kF32) ? DType::kF32 : c.dtypes.back()};
  if (has(DType::kC128) && out[0] != DType::kC128) out.push_back(DType::kC128);
  return out;
}

std::string each_sample(const Case& c,
                        FunctionRef<std::string(FlatFunction f, TensorSpan in)> text_of) {
  std::string out;
  for (size_t s = 0; s < c.test.samples.size(); ++s) {
    const AnyAttrs attrs = attrs_of(c.entry, c.test.samples[s].attrs);
    const auto f = [&](TensorSpan x) { return run(c.entry, x, attrs.data()); };
    for (const DType dtype : traced_dtypes(c)) {
      out += text("// sample ", s, " in ", dtype, "\n");
      out += text_of(f, to_tensors(sample_inputs(c, s, dtype)));
    }
  }
  return out;
}

std::string each_derivative(
    const Case& c, FunctionRef<std::string(const Differentiable& f, TensorSpan in)> text_of) {
  std::string out;
  if (!has_gradients(c)) return out;
  for (size_t s = 0; s < c.test.samples.size(); ++s) {
    const AnyAttrs attrs = attrs_of(c.entry, c.test.samples[s].attrs);
    for (const DType dtype : traced_dtypes(c)) {
      const Differentiable f(c, to_tensors(sample_inputs(c, s, dtype)), attrs);
      if (f.places().empty() || f(f.point()).empty()) continue;
      out += text("// sample ", s, " in ", dtype, "\n", text_of(f, f.point()));
    }
  }
  return out;
}

Tensors joined(TensorSpan front, TensorSpan back) {
  Tensors out(front);
  for (const Tensor& t : back) out.push_back(t);
  return out;
}

// J^T u as a function of x and u.
auto reverse_of(const Differentiable& f, size_t inputs) {
  return
      [&f, inputs](TensorSpan both) { return pulled(f, both.first(inputs), both.subspan(inputs)); };
}

std::string forward_text(const Case& c) { return each_sample(c, traced_text); }

std::string vjp_text(const Case& c) {
  return each_derivative(c, [](const Differentiable& f, TensorSpan in) {
    return traced_text(reverse_of(f, in.size()), joined(in, f(in)));
  });
}

std::string jvp_text(const Case& c) {
  return each_derivative(c, [](const Differentiable& f, TensorSpan in) {
    const auto forward = [&](TensorSpan both) {
      return pushed(f, both.first(in.size()), both.subspan(in.size()));
    };
    return traced_text(forward, joined(in, in));
  });
}

// Reverse over reverse: here partials meet Tensors.
std::string second_text(const Case& c) {
  return each_derivative(c, [](const Differentiable& f, TensorSpan in) {
    const Tensors first = joined(in, f(in));
    const auto twice = [&](TensorSpan all) {
      return pulled(reverse_of(f, in.size()), all.first(first.size()), all.subspan(first.size()));
    };
    return traced_text(twice, joined(first, in));
  });
}

std::string vmap_text(const Case& c) {
  if (c.entry.inputs.empty()) return "";
  return each_sample(c, [&](FlatFunction f, TensorSpan in) {
    FlatVmapOptions options;
    options.in_axes.assign(in.size(), 0);
    const auto batched = [&](TensorSpan x) { return vmap_flat(f, x, options, Where{}); };
    return in.empty() ? "" : traced_text(batched, batch_of(c, in, options.in_axes).stacked);
  });
}

// The forms of an op that are traced, each for every sample; empty where an op has none.
struct Form {
  const char* name;
  std::string (*text)(const Case& c);
};
constexpr Form kForms[] = {
    {"forward", forward_text}, {"vjp", vjp_text},   {"jvp", jvp_text},
    {"second", second_text},   {"vmap", vmap_text},
};

std::string short_hash(const std::string& of) {
  if (of.empty()) return "-";
  Sha256 hash;
  hash.add(of.data(), of.size());
  return hash.hex().substr(0, 16);
}

// "exp 0f3a... 91bc... - ...": what is kept of an op.
std::string line_of(const Case& c) {
  std::string out = c.test.op;
  for (const Form& form : kForms) out += " " + short_hash(form.text(c));
  return out;
}

Case case_of(const OpTest& test) {
  const OpEntry& entry = *find_op(test.op);
  return {test, entry, open_dtypes(entry)};
}

std::vector<std::string> kept_lines() {
  std::vector<std::string> out;
  std::ifstream file(WEFT_REPLAY_FILE);
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with('#')) out.push_back(line);
  }
  return out;
}

std::string kept_line(const std::string& op) {
  for (const std::string& line : kept_lines()) {
    if (line.starts_with(op + " ")) return line;
  }
  return "";
}

TEST(Replay, every_kept_line_is_of_an_op) {
  for (const std::string& line : kept_lines()) {
    const std::string op = line.substr(0, line.find(' '));
    EXPECT_NE(find_op(op), nullptr) << "there is no op " << op << "; `op_suite --replay` writes "
                                    << "tests/golden/replay.txt anew";
  }
}

}  // namespace

std::string replay_lines() {
  std::vector<std::string> lines;
  for (const OpTest& test : op_tests()) lines.push_back(line_of(case_of(test)));
  std::sort(lines.begin(), lines.end());
  std::string out = "# Written by `op_suite --replay`: op, then a hash of its graphs";
  for (const Form& form : kForms) out += text(", ", form.name);
  for (const std::string& line : lines) out += "\n" + line;
  return out + "\n";
}

std::string replay_texts(const std::string& op) {
  std::string out;
  for (const OpTest& test : op_tests()) {
    if (test.op != op) continue;
    const Case c = case_of(test);
    for (const Form& form : kForms) {
      out += text("// ", op, ", ", form.name, "\n", form.text(c));
    }
  }
  return out;
}

void check_replay(const Case& c) {
  EXPECT_EQ(line_of(c), kept_line(c.test.op))
      << c.test.op << " writes other graphs than those that are kept, or than another compiler's: "
      << "`op_suite --replay " << c.test.op << "` prints them, for a diff with those of a build "
      << "that agrees; if they changed on purpose, `op_suite --replay > tests/golden/replay.txt`";
}

}  // namespace weft::suite
