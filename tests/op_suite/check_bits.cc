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

// A sample large enough that the pool shares it; only kinds whose shapes can be chosen freely.
std::optional<Arrays> large_inputs(const Case& c, DType dtype) {
  if (c.entry.op == nullptr) return {};
  const KernelKind kind = c.entry.op->kernel.kind;
  const bool free = kind == KernelKind::kElementwise || kind == KernelKind::kReduction ||
                    kind == KernelKind::kScan ||
                    (kind == KernelKind::kRow && c.entry.inputs.size() == 1);
  if (!free) return {};
  Random random(7);
  Arrays out;
  const std::vector<Arg>& args = c.test.samples[0].inputs;
  for (size_t i = 0; i < args.size(); ++i) {
    Arg large = args[i];
    large.shape = {300, 301};
    large.values.clear();
    out.push_back(make_array(large, input_dtype(c.entry, i, dtype), random));
  }
  return out;
}

}  // namespace

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

void check_threads(const Case& c) {
  if (c.test.samples.empty()) return;
  const AnyAttrs attrs(c.entry.attrs);
  const int before = num_threads();
  for (DType dtype : c.dtypes) {
    const std::optional<Arrays> in = large_inputs(c, dtype);
    if (!in) break;
    const Tensors inputs = to_tensors(*in);
    set_num_threads(1);
    const Tensors wanted = run(c.entry, inputs, attrs.data());
    for (int threads : {2, 4}) {
      set_num_threads(threads);
      expect_same_bits(run(c.entry, inputs, attrs.data()), wanted,
                       text(c.test.op, " in ", dtype, " on ", threads, " threads"));
    }
  }
  set_num_threads(before);
}

void check_tiers(const Case& c) {
  const Isa best = best_isa();
  for (size_t s = 0; s < c.test.samples.size(); ++s) {
    const AnyAttrs attrs = attrs_of(c.entry, c.test.samples[s].attrs);
    for (DType dtype : c.dtypes) {
      Arrays in = sample_inputs(c, s, dtype);
      if (const auto large = s == 0 ? large_inputs(c, dtype) : std::nullopt) in = *large;
      const Tensors inputs = to_tensors(in);
      use_isa_for_testing(best);
      const Tensors wanted = run(c.entry, inputs, attrs.data());
      for (int tier = 0; tier < static_cast<int>(best); ++tier) {
        use_isa_for_testing(static_cast<Isa>(tier));
        expect_same_bits(run(c.entry, inputs, attrs.data()), wanted,
                         text(c.test.op, " sample ", s, " in ", dtype, ", tier ", tier));
      }
    }
  }
  use_isa_for_testing(best);
}

}  // namespace weft::suite
