// Column batching: the rule on a batch against a loop over its examples.
#include <gtest/gtest.h>

#include <memory>

#include "tests/op_suite/checks.h"
#include "weft/op/apply.h"
#include "weft/op/batch.h"

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
  const BatchCtx cx{inputs, {mask.get(), in.size()}, static_cast<int64_t>(kExamples), Where{}};
  const Tensors got = call_batch(*c.entry.op, attrs.data(), cx);

  std::vector<Arrays> results;
  for (size_t e = 0; e < kExamples; ++e) {
    Arrays one;
    for (size_t i = 0; i < in.size(); ++i) one.push_back(examples[i][e]);
    const Tensors tensors = run(c.entry, to_tensors(one), attrs.data());
    results.resize(tensors.size());
    for (size_t k = 0; k < tensors.size(); ++k) results[k].push_back(to_array(tensors[k]));
  }
  ASSERT_EQ(got.size(), results.size());
  for (size_t k = 0; k < got.size(); ++k) {
    EXPECT_TRUE(same_bits(got[k], to_tensor(stacked(results[k]))))
        << "output " << k << ": " << difference(to_array(got[k]), stacked(results[k]), 0, true);
  }
}

}  // namespace

void check_batching(const Case& c) {
  if (c.entry.op == nullptr) return;  // a composite's batching follows from its parts
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
