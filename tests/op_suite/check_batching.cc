// Column batching: the rule on a batch against a loop over its examples.
#include <gtest/gtest.h>

#include <memory>

#include "tests/op_suite/checks.h"
#include "tests/op_suite/trace.h"

namespace weft::suite {
namespace {

constexpr size_t kExamples = 3;

// Examples of an input: the sample itself, then variations of it (indices stay as they are).
Arrays examples_of(const Array& x, Random& random) {
  Arrays out(kExamples, x);
  if (!is_floating(x.dtype) && !is_complex(x.dtype)) return out;
  for (size_t e = 1; e < kExamples; ++e) {
    for (ScalarValue& v : out[e].values) {
      const double factor = random.uniform(0.5, 1);
      v = value_of(x.dtype, static_cast<double>(v.re) * factor, static_cast<double>(v.im) * factor);
    }
  }
  return out;
}

Array stacked(const Arrays& examples) {
  Array out = examples[0];
  out.shape.insert(out.shape.begin(), static_cast<int64_t>(examples.size()));
  out.values.clear();
  for (const Array& e : examples)
    out.values.insert(out.values.end(), e.values.begin(), e.values.end());
  return out;
}

// What the op gives for each example by itself: per output, per example.
std::vector<Arrays> loop(const Case& c, const std::vector<Arrays>& examples,
                         const AnyAttrs& attrs) {
  std::vector<Arrays> out;
  for (size_t e = 0; e < kExamples; ++e) {
    Tensors one;
    for (const Arrays& of_input : examples) one.push_back(to_tensor(of_input[e]));
    const Tensors results = run(c.entry, one, attrs.data());
    out.resize(results.size());
    for (size_t k = 0; k < results.size(); ++k) out[k].push_back(to_array(results[k]));
  }
  return out;
}

void check_subset(const Case& c, const Arrays& in, unsigned batched, const AnyAttrs& attrs) {
  Random random(13);
  const auto mask = std::make_unique<bool[]>(in.size());
  std::vector<Arrays> examples(in.size());
  Tensors inputs;
  for (size_t i = 0; i < in.size(); ++i) {
    mask[i] = (batched >> i & 1) != 0;
    examples[i] = mask[i] ? examples_of(in[i], random) : Arrays(kExamples, in[i]);
    inputs.push_back(to_tensor(mask[i] ? stacked(examples[i]) : in[i]));
  }
  const Trace trace(c.entry, to_tensors(in), attrs.data());
  std::vector<bool> has_batch;
  const Tensors got =
      trace.batch(inputs, {mask.get(), in.size()}, static_cast<int64_t>(kExamples), &has_batch);
  const std::vector<Arrays> results = loop(c, examples, attrs);
  ASSERT_EQ(got.size(), results.size());
  for (size_t k = 0; k < got.size(); ++k) {
    // An output that no batched input reaches (the zeros of zeros_like) is the same for all.
    const Array wanted = has_batch[k] ? stacked(results[k]) : results[k][0];
    EXPECT_TRUE(same_bits(got[k], to_tensor(wanted)))
        << "output " << k << ": " << difference(to_array(got[k]), wanted, 0, true);
    if (!has_batch[k]) {
      for (const Array& other : results[k]) EXPECT_EQ(difference(other, wanted, 0, true), "");
    }
  }
}

}  // namespace

std::string batching_untested(const Case& c) {
  return c.entry.inputs.empty() ? "it has no inputs" : "";
}

void check_batching(const Case& c) {
  for (size_t s = 0; s < c.test.samples.size(); ++s) {
    const AnyAttrs attrs = attrs_of(c.entry, c.test.samples[s].attrs);
    const DType dtype = c.dtypes.empty() ? DType::kF32 : c.dtypes.back();
    const Arrays in = sample_inputs(c, s, dtype);
    for (unsigned batched = 1; batched < 1u << in.size(); ++batched) {
      SCOPED_TRACE(text(c.test.op, " sample ", s, " in ", dtype, ", batched inputs ", batched));
      check_subset(c, in, batched, attrs);
    }
  }
}

}  // namespace weft::suite
