// Samples that all updates share: one tensor of each list, many, none of the right form.
#pragma once

#include "tests/op_suite/samples.h"

namespace weft::suite {

// The list after the gradients holds numbers between `low` and `high`.
inline void sample_update(OpTest& t, const std::string& name, size_t scalars, size_t lists,
                          double low = 0.2, double high = 2) {
  const auto inputs = [&](std::initializer_list<int64_t> shape) {
    std::vector<Arg> out(scalars, in({}, 0.2, 0.8));
    for (size_t k = 0; k < lists; ++k) {
      if (k > 1) {
        out.push_back(k == 2 ? in(shape, low, high) : in(shape, 0.2, 2));
      } else {
        out.push_back(shape.size() == 0 ? in(shape, 0.5, 2) : distinct(shape));
      }
    }
    return out;
  };
  t.sums_batches_elsewhere("it runs example by example: zeros of others are added, -0 becomes 0");
  if (scalars + lists > 6) {
    const std::string reason =
        "2^" + std::to_string(scalars + lists) + " sets of inputs: updates of few inputs do it";
    for (const char* const column : {"vmap", "vmap(grad)", "grad(vmap)"}) t.skip(column, reason);
  }
  t.sample(inputs({2, 3}));
  t.sample(inputs({}));
  t.sample(inputs({0}));
  t.large(inputs({20000}));
  std::vector<Arg> fewer = inputs({2});
  fewer.pop_back();
  t.error("count", fewer, "",
          name + ": got " + std::to_string(fewer.size()) + " inputs; they are " +
              std::to_string(scalars) + " scalars and " + std::to_string(lists) +
              " lists of equally many tensors [" + name + ".count]");
  std::vector<Arg> wide = inputs({2});
  wide[0] = in({2});
  t.error("scalar", wide, "",
          name + ": input 0 has shape [2]; the first " + std::to_string(scalars) +
              " are scalars [" + name + ".scalar]");
  std::vector<Arg> longer = inputs({2});
  longer[scalars + 1] = in({3});
  t.error(
      "shape", longer, "",
      name + ": input " + std::to_string(scalars + 1) +
          " has shape [3], but the parameter it belongs to has shape [2]; they must be equal [" +
          name + ".shape]");
}

}  // namespace weft::suite
