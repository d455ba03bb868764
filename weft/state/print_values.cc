// print_values: prints when the graph runs.
#include <cstdio>

#include "weft/base/atomic.h"
#include "weft/op/apply.h"
#include "weft/state/filled_text.h"
#include "weft/state/state.h"

namespace weft {
namespace {

Atomic<PrintText> printer{nullptr};

Types infer_print(const PrintAttrs&, const InferCtx&, TypeSpan) { return {}; }

// "{}" in the pattern stands for the next value, and no other brace for anything.
std::string filled_simply(const PrintAttrs& at, TensorSpan in) {
  std::string out;
  size_t next = 0;
  for (size_t i = 0; i < at.pattern.size(); ++i) {
    if (at.pattern.compare(i, 2, "{}") == 0 && next < in.size()) {
      out += to_string(in[next++]);
      ++i;
    } else {
      out += at.pattern[i];
    }
  }
  return out;
}

Tensors run(const PrintAttrs& at, TensorSpan in, TypeSpan) {
  const std::string out = at.formats ? filled_text(at.pattern, in) : filled_simply(at, in);
  if (const PrintText print = printer.load_acquire()) {
    print(out);
  } else {
    std::fputs(out.c_str(), stdout);
    std::fflush(stdout);
  }
  return {};
}

// All examples of a value at once, with the batch axis in front.
Tensors batched(const PrintAttrs& at, const BatchCtx& cx) {
  *cx.is_shared = true;
  return apply_prepared(kPrintValues, cx.inputs, &at, cx.where);
}

}  // namespace

constinit const OpDef kPrintValues{
    .name = "print_values",
    .doc = "Prints values when the graph runs.",
    .inputs = {"values...?: any"},
    .outputs = {},
    .attrs = attrs_type<PrintAttrs>(),
    .infer = rule<infer_print>(),
    .grad = derive::not_differentiable("it gives nothing"),
    .batch = batch::rule<batched>(),
    .kernel = kernel::host<run>(),
    .effect = Effect::kOutside,
};

void set_print_text(PrintText print) { printer.store_release(print); }

void print_values(std::string pattern, TensorSpan values, Where where) {
  const PrintAttrs attrs{std::move(pattern), true};
  apply_prepared(kPrintValues, values, &attrs, where);
}

}  // namespace weft
