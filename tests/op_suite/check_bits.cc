// Columns layout, threads and tiers: the same bits however the work is done.
#include <gtest/gtest.h>

#include "tests/op_suite/checks.h"
#include "weft/base/thread_pool.h"
#include "weft/eager/runtime.h"
#include "weft/op/apply.h"

namespace weft::suite {
namespace {

void expect_same_bits(const Tensors& got, const Tensors& wanted, const std::string& what) {
  ASSERT_EQ(got.size(), wanted.size()) << what;
  for (size_t k = 0; k < got.size(); ++k)
    EXPECT_TRUE(same_bits(got[k], wanted[k])) << what << ", output " << k;
}

// Kinds whose shapes can be chosen freely.
bool has_free_shape(const OpEntry& entry) {
  if (entry.op == nullptr) return false;
  const KernelKind kind = entry.op->kernel.kind;
  return kind == KernelKind::kElementwise || kind == KernelKind::kReduction ||
         kind == KernelKind::kCast || kind == KernelKind::kScan ||
         (kind == KernelKind::kRow && entry.inputs.size() == 1);
}

}  // namespace

std::vector<Sample> large_samples(const Case& c) {
  if (!c.test.large_samples.empty() || !has_free_shape(c.entry)) return c.test.large_samples;
  Sample large = c.test.samples[0];
  if (c.entry.op->kernel.kind != KernelKind::kCast) large.attrs = "";
  for (Arg& arg : large.inputs) {
    arg.shape = {300, 301};
    arg.values.clear();
  }
  return {large};
}

Tensors inputs_of(const Case& c, const Sample& sample, DType dtype) {
  Random random(7);
  Tensors out;
  for (size_t i = 0; i < sample.inputs.size(); ++i) {
    out.push_back(to_tensor(make_array(sample.inputs[i], input_dtype(c.entry, i, dtype), random)));
  }
  return out;
}

void check_layout(const Case& c) {
  for (size_t s = 0; s < c.test.samples.size(); ++s) {
    const AnyAttrs attrs = attrs_of(c.entry, c.test.samples[s].attrs);
    for (DType dtype : c.dtypes) {
      const Arrays in = sample_inputs(c, s, dtype);
      const Tensors wanted = run(c.entry, to_tensors(in), attrs.data());
      for (int layout = 0; layout < kNumLayouts; ++layout) {
        Tensors strided;
        for (const Array& a : in) strided.push_back(with_layout(a, layout));
        expect_same_bits(run(c.entry, strided, attrs.data()), wanted,
                         text(c.test.op, " sample ", s, " in ", dtype, ", layout ", layout));
      }
    }
  }
}

std::string threads_untested(const Case& c) {
  return c.entry.op != nullptr && is_view(*c.entry.op) ? "a view moves no elements" : "";
}

void check_threads(const Case& c) {
  const std::vector<Sample> samples = large_samples(c);
  EXPECT_FALSE(samples.empty()) << c.test.op << " has no large sample: t.large({...}, \"...\")";
  const int before = num_threads();
  for (const Sample& sample : samples) {
    const AnyAttrs attrs = attrs_of(c.entry, sample.attrs);
    for (DType dtype : c.dtypes) {
      const Tensors inputs = inputs_of(c, sample, dtype);
      set_num_threads(1);
      const Tensors wanted = run(c.entry, inputs, attrs.data());
      for (int threads : {2, 4}) {
        set_num_threads(threads);
        expect_same_bits(run(c.entry, inputs, attrs.data()), wanted,
                         text(c.test.op, " in ", dtype, " on ", threads, " threads"));
      }
    }
  }
  set_num_threads(before);
}

// The same call on every tier below the best.
static void check_tiers_of(const Case& c, TensorSpan inputs, const AnyAttrs& attrs,
                           const std::string& what) {
  const Isa best = best_isa();
  use_isa_for_testing(best);
  const Tensors wanted = run(c.entry, inputs, attrs.data());
  for (int tier = 0; tier < static_cast<int>(best); ++tier) {
    use_isa_for_testing(static_cast<Isa>(tier));
    expect_same_bits(run(c.entry, inputs, attrs.data()), wanted, text(what, ", tier ", tier));
  }
  use_isa_for_testing(best);
}

void check_tiers(const Case& c) {
  std::vector<Sample> samples = c.test.samples;
  for (const Sample& large : large_samples(c)) samples.push_back(large);
  for (size_t s = 0; s < samples.size(); ++s) {
    const AnyAttrs attrs = attrs_of(c.entry, samples[s].attrs);
    for (DType dtype : c.dtypes) {
      check_tiers_of(c, inputs_of(c, samples[s], dtype), attrs,
                     text(c.test.op, " sample ", s, " in ", dtype));
    }
  }
}

}  // namespace weft::suite
