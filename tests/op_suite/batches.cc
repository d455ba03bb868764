// Examples of a sample, and the ways to stack them.
#include "tests/op_suite/batches.h"

#include <algorithm>

#include "weft/ops/random/key.h"
#include "weft/ops/shape/shape_ops.h"

namespace weft::suite {
namespace {

// Position `at` of the choices of one input: 0 none, then each axis of the stacked tensor.
std::optional<int64_t> axis_of(size_t choice, const Tensor& x, bool from_back) {
  if (choice == 0) return std::nullopt;
  const auto axis = static_cast<int64_t>(choice) - 1;
  return from_back ? axis - (x.rank() + 1) : axis;
}

using Choice = std::vector<size_t>;  // of each input, for axis_of

// Counts through all choices, the first input fastest; false at the end.
bool advance(Choice& choice, const Choice& counts) {
  for (size_t i = 0; i < choice.size(); ++i) {
    if (++choice[i] < counts[i]) return true;
    choice[i] = 0;
  }
  return false;
}

// All choices but the one without a batch, or, where they are too many, those that differ in kind:
// each input alone along each of its axes, all inputs along the same axis, and some at random, the
// same ones in every run.
std::vector<Choice> choices_of(const Choice& counts) {
  constexpr double kMostChoices = 7000;
  constexpr size_t kRandomChoices = 32;
  std::vector<Choice> out;
  Choice choice(counts.size());
  double all = 1;
  for (const size_t count : counts) all *= static_cast<double>(count);
  if (all <= kMostChoices) {
    while (advance(choice, counts)) out.push_back(choice);
    return out;
  }
  for (size_t i = 0; i < counts.size(); ++i) {
    for (size_t axis = 1; axis < counts[i]; ++axis) {
      Choice alone(counts.size());
      alone[i] = axis;
      out.push_back(alone);
    }
  }
  const size_t most = *std::max_element(counts.begin(), counts.end());
  for (size_t axis = 1; axis < most; ++axis) {
    for (size_t i = 0; i < counts.size(); ++i) choice[i] = std::min(axis, counts[i] - 1);
    out.push_back(choice);
  }
  Random random(17);
  for (const size_t end = out.size() + kRandomChoices; out.size() < end;) {
    for (size_t i = 0; i < counts.size(); ++i) {
      choice[i] = static_cast<size_t>(random.uniform(0, static_cast<double>(counts[i])));
    }
    if (std::any_of(choice.begin(), choice.end(), [](size_t c) { return c != 0; }))
      out.push_back(choice);
  }
  return out;
}

Vary variation_of(const OpTest& test, size_t input) {
  for (const Variation& v : test.variations) {
    if (v.input == input) return v.how;
  }
  return Vary::kUsual;
}

// v times a factor, rounded to its dtype.
ScalarValue scaled(const ScalarValue& v, DType dtype, double factor) {
  const auto times = [&](auto part) { return static_cast<double>(part) * factor; };
  if (is_inexact(dtype)) return value_of(dtype, times(v.re), times(v.im));
  return value_of(dtype, times(v.i));
}

// Examples that differ in their values but stay in the domain: floats shrink, others change places,
// keys are split, or as the test says.
Tensors examples_of(const Case& c, size_t input, const Tensor& x, Random& random) {
  const OpEntry& entry = c.entry;
  const std::string_view kind = entry.inputs[std::min(input, entry.inputs.size() - 1)].class_name;
  if (kind == "key" && x.rank() > 0) {
    const random::Key keys = random::Key(x).split(kExamples);
    return {x, keys[0].words(), keys[1].words()};
  }
  const Vary how = variation_of(c.test, input);
  Tensors out{x};
  for (size_t e = 1; e < kExamples; ++e) {
    Array varied = to_array(x);
    if (how == Vary::kScaled) {
      const double factor = random.uniform(0.5, 1);
      for (ScalarValue& v : varied.values) v = scaled(v, x.dtype(), factor);
    } else if (is_inexact(x.dtype()) && how == Vary::kUsual) {
      for (ScalarValue& v : varied.values) v = scaled(v, x.dtype(), random.uniform(0.5, 1));
    } else if (!varied.values.empty()) {
      std::rotate(varied.values.begin(), varied.values.begin() + 1, varied.values.end());
    }
    out.push_back(to_tensor(varied));
  }
  return out;
}

}  // namespace

Tensors Batch::example(size_t e) const {
  Tensors out;
  for (const Tensors& of : examples) out.push_back(of[e]);
  return out;
}

Tensor stacked(const Tensors& examples, int64_t axis) {
  Array all = to_array(examples[0]);
  all.shape.insert(all.shape.begin(), static_cast<int64_t>(examples.size()));
  for (size_t e = 1; e < examples.size(); ++e) {
    const Array one = to_array(examples[e]);
    all.values.insert(all.values.end(), one.values.begin(), one.values.end());
  }
  const Tensor front = to_tensor(all);
  Ints order;
  for (int64_t i = 1; i < front.rank(); ++i) order.push_back(i);
  const int64_t at = normalized(axis, front.rank());
  order.insert(static_cast<size_t>(at), 0);
  return at == 0 ? front : permute_dims(front, order);
}

void for_each_axes(TensorSpan in, FunctionRef<void(const Axes&)> check) {
  Choice counts;
  for (const Tensor& x : in) counts.push_back(static_cast<size_t>(x.rank()) + 2);
  const std::vector<Choice> choices = choices_of(counts);
  for (const bool from_back : {false, true}) {
    for (const Choice& choice : choices) {
      Axes axes;
      for (size_t i = 0; i < in.size(); ++i) axes.push_back(axis_of(choice[i], in[i], from_back));
      check(axes);
    }
  }
}

void for_each_subset(TensorSpan in, FunctionRef<void(const Axes&)> check) {
  for (const int64_t axis : {0, -1}) {
    for (unsigned batched = 1; batched < 1u << in.size(); ++batched) {
      Axes axes(in.size());
      for (size_t i = 0; i < in.size(); ++i) {
        if ((batched >> i & 1) != 0) axes[i] = axis;
      }
      check(axes);
    }
  }
}

Batch batch_of(const Case& c, TensorSpan in, const Axes& axes) {
  Random random(13);
  Batch out{{}, axes, {}};
  for (size_t i = 0; i < in.size(); ++i) {
    out.examples.push_back(examples_of(c, i, in[i], random));
    if (!axes[i]) std::fill(out.examples.back().begin(), out.examples.back().end(), in[i]);
    out.stacked.push_back(axes[i] ? stacked(out.examples.back(), *axes[i]) : in[i]);
  }
  return out;
}

}  // namespace weft::suite
