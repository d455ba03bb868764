// Prints the table of ops from the registry and the tests.
#include "tests/op_suite/ops_md.h"

#include <algorithm>

#include "tests/op_suite/derivatives.h"

namespace weft::suite {
namespace {

std::string kernel_text(const OpEntry& entry) {
  if (entry.op == nullptr) return "composite";
  switch (entry.op->kernel.kind) {
    case KernelKind::kElementwise: return "elementwise";
    case KernelKind::kCast: return "cast";
    case KernelKind::kReduction: return "reduction";
    case KernelKind::kRow: return "row";
    case KernelKind::kScan: return "scan";
    case KernelKind::kFill: return "fill";
    case KernelKind::kVjp: return "fused backward";
    case KernelKind::kUpdate: return "update";
    case KernelKind::kView: return "view";
    case KernelKind::kNative:
    case KernelKind::kHost: return "native";
  }
  return "";
}

std::string gradient_text(const OpEntry& entry) {
  if (entry.op == nullptr) return "by its parts";
  if (entry.op->grad.kind == GradKind::kNotDifferentiable)
    return text("none: ", entry.op->grad.reason);
  const GradRule& grad = entry.op->grad;
  std::string out;
  switch (grad.kind) {
    case GradKind::kPartials: out = "partials"; break;
    case GradKind::kLinear: out = "linear"; break;
    case GradKind::kBilinear: out = "bilinear"; break;
    case GradKind::kRules: out = "rules"; break;
    case GradKind::kComposed: out = "by its parts"; break;
    case GradKind::kMissing: out = text("no rule: ", grad.reason); break;
    case GradKind::kNotDifferentiable: break;
  }
  for (const StopInput& stop : grad.stops) {
    if (stop.input >= 0)
      out +=
          text("; not in ", entry.inputs[static_cast<size_t>(stop.input)].name, ": ", stop.reason);
  }
  return out;
}

std::string batching_text(const OpEntry& entry) {
  if (entry.op == nullptr) return "by its parts";
  switch (entry.op->batch.kind) {
    case BatchKind::kBroadcasting: return "broadcasting";
    case BatchKind::kSameShape: return "one shape";
    case BatchKind::kShiftAxis: return "axis moves by one";
    case BatchKind::kRule: return "rule";
    case BatchKind::kPerExample: return text("per example: ", entry.op->batch.text);
  }
  return "";
}

std::string inputs_text(const OpEntry& entry) {
  std::string out;
  for (const ArgSpec& arg : entry.inputs) {
    out += text(out.empty() ? "" : ", ", arg.name,
                arg.variadic   ? "..."
                : arg.optional ? "?"
                               : "",
                ": ", arg.class_name);
  }
  return out.empty() ? "none" : out;
}

std::string laws_text(const OpEntry& entry) {
  std::string out;
  for (const Law& law : entry.laws) out += text(out.empty() ? "" : ", ", law.label);
  return out.empty() ? "the common ones" : out;
}

const OpTest* test_of(const OpEntry& entry) {
  for (const OpTest& test : op_tests()) {
    if (test.op == entry.qualified_name()) return &test;
  }
  return nullptr;
}

// "tested", or why not. Columns of transformations also say that the op must refuse them, or where
// bits may differ.
std::string tested_text(const OpEntry& entry, std::string_view name) {
  const OpTest* const test = test_of(entry);
  if (test == nullptr) return "no samples";
  const Case c{*test, entry, open_dtypes(entry)};
  for (const Column& column : kColumns) {
    if (column.name != name) continue;
    const std::string reason = untested(c, column);
    if (!reason.empty()) return text("none: ", reason);
    const std::string partly = name == "special" ? complex_untested(*test) : "";
    return partly.empty() ? "tested" : text("tested, complex not: ", partly);
  }
  return text("there is no column ", name);
}

std::string transformed_text(const OpEntry& entry, std::string_view name) {
  const OpTest* const test = test_of(entry);
  const std::string tested = tested_text(entry, name);
  if (test == nullptr || tested != "tested") return tested;
  const bool is_gradient = name != "vmap" && name != "graph" && name != "function";
  if (!test->untraced_law.empty()) {
    return text("raises [", entry.name, ".", test->untraced_law, "]: ", test->untraced_reason);
  }
  if (name == "grad(vmap)" && !test->sums_batches.empty())
    return text("tested, to tolerance: ", test->sums_batches);
  const Case c{*test, entry, open_dtypes(entry)};
  if (!is_gradient || !refuses_gradient(c)) return tested;
  return name == "jvp" && !misses_gradient(c) ? "no tangent" : "raises";
}

std::string samples_text(const OpEntry& entry) {
  const OpTest* const test = test_of(entry);
  if (test == nullptr) return "none";
  std::string out = text(test->samples.size() + test->large_samples.size());
  for (const Sample& sample : test->samples) {
    if (!sample.kink.empty()) out += text("; no gradient at one: ", sample.kink);
  }
  if (!test->tolerance_reason.empty())
    out += text("; tolerance x", test->tolerance_factor, ": ", test->tolerance_reason);
  return out;
}

std::string known_text(const OpEntry& entry) {
  std::string out;
  for (const Alias& alias : entry.known_as)
    out += text(out.empty() ? "" : ", ", alias.system, ".",
                alias.name.substr(0, alias.name.find(": ")));
  return out.empty() ? "Weft's own" : out;
}

}  // namespace

std::string ops_markdown() {
  std::string out =
      "# Ops\n\nGenerated by `op_suite --ops-md`; the tests check that it is up to date. Every op "
      "runs through the op suite: its samples in every dtype against a reference, strided and "
      "reversed, on every tier of the CPU; attributes printed and read back; every law raised with "
      "its whole text. A cell says what more is tested, or why there is nothing to test.\n\n"
      "Derivatives and batches run through the transformations themselves: `jvp` against central "
      "differences; `tape` (backward, GradientTape and vjp: the same bits, the adjoint of jvp); "
      "`second` derivatives in every nesting of the modes; `zero`: where no cotangent comes in, "
      "none goes out, whatever the values; `vmap` against a loop, for every choice "
      "of batched inputs and axes (where there are more than 3000, each input alone, all together "
      "and 32 others); `vmap(grad)` and `grad(vmap)` against a loop of gradients. "
      "`graph` and `function`: staged and run in a session, or traced with symbols for sizes, the "
      "op "
      "and its gradients give the bits of eager; large calls on 1 thread and on 2, and every pass "
      "is "
      "followed by the verifier. "
      "*raises*: it is tested that the gradient of such an op is refused, with an error that names "
      "it.\n\n"
      "| op | inputs | kernel | gradient | jvp | tape | second | zero | batching | vmap | "
      "vmap(grad) | "
      "grad(vmap) | graph | function | special values | threads | symbolic shapes | laws | samples "
      "| elsewhere |\n"
      "|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|\n";
  std::vector<const OpEntry*> entries = registered_ops();
  std::sort(entries.begin(), entries.end(), [](const OpEntry* a, const OpEntry* b) {
    return a->qualified_name() < b->qualified_name();
  });
  for (const OpEntry* entry : entries) {
    out += text("| `", entry->qualified_name(), "` | ", inputs_text(*entry), " | ",
                kernel_text(*entry), " | ", gradient_text(*entry));
    for (const char* column : {"jvp", "tape", "second", "zero"})
      out += text(" | ", transformed_text(*entry, column));
    out += text(" | ", batching_text(*entry));
    for (const char* column : {"vmap", "vmap(grad)", "grad(vmap)", "graph", "function"})
      out += text(" | ", transformed_text(*entry, column));
    for (const char* column : {"special", "threads", "symbolic"})
      out += text(" | ", tested_text(*entry, column));
    out += text(" | ", laws_text(*entry), " | ", samples_text(*entry), " | ", known_text(*entry),
                " |\n");
  }
  return out;
}

}  // namespace weft::suite
