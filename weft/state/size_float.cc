// size_float: a float computed from sizes, known when the graph runs.
//
// On the host and in libm's pow, as Python does: a kernel's pow may differ in the last bit, and
// eager code has Python's.
#include "weft/state/size_float.h"

#include <charconv>
#include <vector>

#include "weft/base/error.h"
#include "weft/op/apply.h"
#include "weft/state/number.h"

namespace weft {
namespace {

constexpr InferCtx kWho{"size_float"};

double combined(char operation, double a, double b) {
  switch (operation) {
    case '+': return a + b;
    case '-': return a - b;
    case '*': return a * b;
    case '/': return python_quotient(kWho, a, b);
    default: return python_power(kWho, a, b);
  }
}

bool is_operation(std::string_view word) {
  return word.size() == 1 && std::string_view("+-*/^").find(word[0]) != std::string_view::npos;
}

// Goes through the words of a formula; `size` gives the value of the next size.
template <class Size>
double evaluated(const SizeFloatAttrs& at, Size size) {
  std::vector<double> values;
  size_t next = 0;
  std::string_view rest = at.formula;
  while (!rest.empty()) {
    const size_t end = std::min(rest.find(' '), rest.size());
    const std::string_view word = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    double number = 0;
    if (word == "size") {
      kWho.require(next < at.sizes.size(), "formula", "'", at.formula, "' needs more sizes than ",
                   at.sizes);
      number = size(at.sizes[next++]);
    } else if (is_operation(word)) {
      kWho.require(values.size() >= 2, "formula", "'", word, "' in '", at.formula,
                   "' needs two values before it");
      const double b = values.back();
      values.pop_back();
      number = combined(word[0], values.back(), b);
      values.pop_back();
    } else {
      const auto [stop, error] = std::from_chars(word.data(), word.data() + word.size(), number);
      kWho.require(error == std::errc() && stop == word.data() + word.size(), "formula", "'", word,
                   "' in '", at.formula, "' is no number, no operation and no size");
    }
    values.push_back(number);
  }
  kWho.require(values.size() == 1 && next == at.sizes.size(), "formula", "'", at.formula,
               "' of the sizes ", at.sizes, " is not one value");
  return values[0];
}

// Any sizes tell whether the formula can be read; some may be divided by 0, which is told in a run.
Types infer_formula(const SizeFloatAttrs& at, const InferCtx&, TypeSpan) {
  SizeFloatAttrs words = at;
  for (char& c : words.formula) c = c == '/' || c == '^' ? '+' : c;
  evaluated(words, [](Dim) { return 1.0; });
  return {{DType::kF64, {}}};
}

Tensors run(const SizeFloatAttrs& at, TensorSpan, TypeSpan) {
  return {Tensor::scalar(DType::kF64, value_of_size_float(at))};
}

Tensors batched(const SizeFloatAttrs& at, const BatchCtx& cx) {
  *cx.is_shared = true;
  return apply_prepared(kSizeFloat, {}, &at, cx.where);
}

}  // namespace

constinit const OpDef kSizeFloat{
    .name = "size_float",
    .doc = "A float computed from sizes of tensors.",
    .inputs = {},
    .outputs = {"out: any"},
    .attrs = attrs_type<SizeFloatAttrs>(),
    .infer = rule<infer_formula>(),
    .grad = derive::not_differentiable("a size is no number that varies"),
    .batch = batch::rule<batched>(),
    .kernel = kernel::host<run>(),
};

double value_of_size_float(const SizeFloatAttrs& attrs) {
  return evaluated(attrs, [](Dim size) { return static_cast<double>(size.value()); });
}

Tensor size_float(const SizeFloatAttrs& attrs, Where where) {
  Tensor out = apply_prepared(kSizeFloat, {}, &attrs, where)[0];
  out.node()->weak = true;  // a Python float would take the dtype of what it meets
  return out;
}

}  // namespace weft
