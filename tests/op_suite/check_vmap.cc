// Column vmap: a batch against a loop over its examples, for every choice of batched inputs and
// axes, in and out.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/op_suite/batches.h"
#include "weft/ops/shape/shape_ops.h"

namespace weft::suite {
namespace {

class VmapCheck {
 public:
  VmapCheck(const Case& c, Tensors in, const AnyAttrs& attrs)
      : case_(c), in_(std::move(in)), attrs_(attrs) {
    const auto call = [&](TensorSpan x) { return run(case_.entry, x, attrs_.data()); };
    for_each_axes(in_, [&](const Axes& axes) {
      const Batch batch = batch_of(case_, in_, axes);
      std::vector<Tensors> wanted;  // per example
      for (size_t e = 0; e < kExamples; ++e) wanted.push_back(call(batch.example(e)));
      FlatVmapOptions options;
      options.in_axes = axes;
      // Every axis of the output has its turn.
      for (const Tensor& out : wanted[0]) {
        const int64_t places = 2 * (out.rank() + 1);
        options.out_axes.emplace_back(turn_++ % places - (out.rank() + 1));
      }
      compare(vmap_flat(call, batch.stacked, options, Where{}), wanted, options);
    });
  }

 private:
  void compare(const Tensors& got, const std::vector<Tensors>& wanted,
               const FlatVmapOptions& options) const {
    ASSERT_EQ(got.size(), wanted[0].size());
    for (size_t k = 0; k < got.size(); ++k) {
      Tensors each;
      for (const Tensors& of_example : wanted) each.push_back(of_example[k]);
      EXPECT_EQ(bit_difference(got[k], stacked(each, *options.out_axes[k])), "")
          << "output " << k << ", in_axes " << shown(options.in_axes) << ", out_axes "
          << shown(options.out_axes);
    }
  }

  static std::string shown(const Axes& axes) {
    std::string out;
    for (const auto& axis : axes) out += axis ? text(*axis, " ") : "none ";
    return out;
  }

  const Case& case_;
  const Tensors in_;
  const AnyAttrs& attrs_;
  int64_t turn_ = 0;
};

// The first line of what a batch raises.
std::string refusal(const char* op, Tensors batch) {
  const OpEntry& entry = *find_op(op);
  FlatVmapOptions options;
  options.in_axes.assign(batch.size(), 0);
  try {
    vmap_flat([&](TensorSpan x) { return run(entry, x, AnyAttrs(entry.attrs).data()); }, batch,
              options, Where{});
    return text("nothing was raised by ", op);
  } catch (const Error& error) {
    const std::string message = error.what();
    return message.substr(0, message.find('\n'));
  }
}

// Laws that only a batch breaks: values decide the shape of the result, so that examples have no
// common one.
TEST(Traced, ValuesThatDecideAShape) {
  const Tensor batch = to_tensors({Array{DType::kI64, {2, 2}, std::vector<ScalarValue>(4)}})[0];
  for (const char* op : {"argwhere", "nonzero"}) {
    EXPECT_EQ(refusal(op, {batch}),
              text(op,
                   ": how many elements are not zero differs between the examples of a vmap, so "
                   "there is no common shape; use where(condition, a, b), or count_nonzero [",
                   op, ".batch]"));
  }
  EXPECT_EQ(refusal("repeat", {batch, batch}),
            "repeat: how often elements are repeated differs between the examples of a vmap, so "
            "there is no common shape; pass counts that all examples share [repeat.batch]");
}

}  // namespace

void check_vmap(const Case& c) {
  if (!c.test.untraced_law.empty()) {
    expect_refusal(c, [](const Differentiable& f, TensorSpan in) {
      FlatVmapOptions options;
      options.in_axes.assign(in.size(), 0);
      Tensors batch;
      for (const Tensor& x : in) batch.push_back(stacked({x, x}, 0));
      vmap_flat(f, batch, options, Where{});
    });
    return;
  }
  std::vector<DType> dtypes{c.dtypes.back(), c.dtypes.front()};
  if (std::find(c.dtypes.begin(), c.dtypes.end(), DType::kF32) != c.dtypes.end())
    dtypes.push_back(DType::kF32);
  for (size_t s = 0; s < c.test.samples.size(); ++s) {
    const AnyAttrs attrs = attrs_of(c.entry, c.test.samples[s].attrs);
    for (const DType dtype : dtypes) {
      SCOPED_TRACE(text(c.test.op, " sample ", s, " in ", dtype));
      const VmapCheck check(c, to_tensors(sample_inputs(c, s, dtype)), attrs);
    }
  }
}

}  // namespace weft::suite
