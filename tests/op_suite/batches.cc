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

// Counts through all choices, the first input fastest; false at the end.
bool advance(std::vector<size_t>& choice, const std::vector<size_t>& counts) {
  for (size_t i = 0; i < choice.size(); ++i) {
    if (++choice[i] < counts[i]) return true;
    choice[i] = 0;
  }
  return false;
}

}  // namespace

Tensors Batch::example(size_t e) const {
  Tensors out;
  for (const Tensors& of : examples) out.push_back(of[e]);
  return out;
}

Tensors examples_of(const OpEntry& entry, size_t input, const Tensor& x, Random& random) {
  const std::string_view kind = entry.inputs[std::min(input, entry.inputs.size() - 1)].class_name;
  if (kind == "key" && x.rank() > 0) {
    const random::Key keys = random::Key(x).split(kExamples);
    return {x, keys[0].words(), keys[1].words()};
  }
  Tensors out{x};
  for (size_t e = 1; e < kExamples; ++e) {
    Array varied = to_array(x);
    if (is_inexact(x.dtype())) {
      for (ScalarValue& v : varied.values) {
        const double factor = random.uniform(0.5, 1);
        v = value_of(x.dtype(), static_cast<double>(v.re) * factor,
                     static_cast<double>(v.im) * factor);
      }
    } else if (!varied.values.empty()) {
      std::rotate(varied.values.begin(), varied.values.begin() + 1, varied.values.end());
    }
    out.push_back(to_tensor(varied));
  }
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
  std::vector<size_t> counts;
  for (const Tensor& x : in) counts.push_back(static_cast<size_t>(x.rank()) + 2);
  for (const bool from_back : {false, true}) {
    std::vector<size_t> choice(in.size());
    while (advance(choice, counts)) {
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

Batch batch_of(const OpEntry& entry, TensorSpan in, const Axes& axes) {
  Random random(13);
  Batch out{{}, axes, {}};
  for (size_t i = 0; i < in.size(); ++i) {
    out.examples.push_back(examples_of(entry, i, in[i], random));
    if (!axes[i]) std::fill(out.examples.back().begin(), out.examples.back().end(), in[i]);
    out.stacked.push_back(axes[i] ? stacked(out.examples.back(), *axes[i]) : in[i]);
  }
  return out;
}

}  // namespace weft::suite
