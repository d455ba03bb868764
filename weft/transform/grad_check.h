// grad_check: are the derivatives of a function what differences say?
#pragma once

#include "weft/transform/tree.h"
#include "weft/transform/vjp.h"

namespace weft {

// How far a derivative of each order may be off, relative to the greatest value compared: from a
// central difference in f64, and between both sides of <u, J v> == <J* u, v>.
struct GradCheckTolerance {
  double difference, adjoint;
};
inline constexpr GradCheckTolerance kGradCheckTolerances[] = {
    {1e-6, 1e-10}, {1e-6, 1e-10}, {1e-5, 1e-9}};

struct GradCheckOptions {
  int order = 1;                     // up to which order of derivative: 1 to 3
  bool jvp = true, vjp = true;       // the modes; orders above the first nest them in every way
  int directions = 2;                // random directions for each argument
  uint64_t seed = 0;                 // of the directions
  std::vector<std::string> names{};  // of the arguments, for the report
};

// One comparison: along a random direction of one argument.
struct GradCheckEntry {
  int order = 1;
  std::string what;      // "jvp of vjp": the outermost mode first
  std::string argument;  // its name
  int direction = 0;
  std::string at;  // "output 0 at [1, 2]", or the inner product compared
  double expected = 0, got = 0, error = 0, tolerance = 0;
  std::string note;  // what may explain a mismatch
  bool passed = true;
};
void append_text(std::string& out, const GradCheckEntry& entry);

struct GradCheckReport {
  std::vector<GradCheckEntry> entries;
  std::vector<std::string> ops;  // what the function is made of, in program order; if it failed

  size_t failures() const;
  bool passed() const { return failures() == 0; }
  // What failed, a line each, and the ops; or how many checks passed.
  std::string summary() const;
};

// Compares derivatives with central differences, and reverse with forward mode, in f64 (c128)
// whatever the dtype of the inputs; integers and bools are held constant.
GradCheckReport grad_check_flat(FlatFunction f, TensorSpan in, const GradCheckOptions& options,
                                Where where);

// Raises with the report's summary [grad_check.mismatch] if anything failed.
void require_passed(const GradCheckReport& report, Where where);

namespace detail {
// "argument 1", or "argument 1, leaf 0" of a tree.
void add_leaf_names(std::vector<std::string>& names, size_t argument, size_t leaves);
}  // namespace detail

// Raises unless all derivatives of f(args...) up to the order asked for are right:
//   grad_check([](const Tensor& x, const Tensor& w) { return tanh(matmul(x, w)); },
//              std::tuple(x, w), {.order = 2});
template <class F, class... X>
GradCheckReport grad_check(F f, const std::tuple<X...>& args, GradCheckOptions options = {},
                           Where where = Where::here()) {
  if (options.names.empty()) {
    size_t argument = 0;
    std::apply(
        [&](const X&... arg) {
          (detail::add_leaf_names(options.names, argument++, flattened(arg).size()), ...);
        },
        args);
  }
  const auto flat = [&](TensorSpan leaves) {
    return flattened(std::apply(f, rebuilt(args, leaves)));
  };
  const GradCheckReport report = grad_check_flat(flat, flattened(args), options, where);
  require_passed(report, where);
  return report;
}

}  // namespace weft
