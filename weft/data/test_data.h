// What the tests of datasets share: elements as numbers, and passes that are saved on the way.
#pragma once

#include <gtest/gtest.h>

#include "weft/data/dataset.h"
#include "weft/op/builtin.h"
#include "weft/ops/creation/tensor.h"

namespace weft::data {

// All numbers of an element, leaf by leaf.
inline std::vector<double> numbers_of(const Element& element) {
  std::vector<double> out;
  for (const Leaf& leaf : element.leaves) {
    if (leaf.is_text()) {
      for (const std::string& one : leaf.texts->texts)
        out.push_back(static_cast<double>(one.size()));
      continue;
    }
    for (const double x : cast(leaf.tensor, DType::kF64).to_vector<double>()) out.push_back(x);
  }
  return out;
}

using Numbers = std::vector<std::vector<double>>;

inline Numbers all_of(const Dataset& dataset) {
  Numbers out;
  for (const Element& element : dataset) out.push_back(numbers_of(element));
  return out;
}

inline Numbers rest_of(Iterator& iterator) {
  Numbers out;
  for (Element element; iterator.next(element);) out.push_back(numbers_of(element));
  return out;
}

// A pass that is saved after every element and goes on in another iterator of a like dataset.
inline void expect_resumes(const std::function<Dataset()>& make) {
  Iterator whole_pass = make().iterator();
  const Numbers whole = rest_of(whole_pass);
  ASSERT_FALSE(whole.empty());
  const Dataset dataset = make();
  Iterator iterator = dataset.iterator();
  for (size_t given = 0; given <= whole.size(); ++given) {
    const State state = iterator.state_dict();
    Iterator other = make().iterator();
    other.load_state_dict(state);
    const Numbers rest = rest_of(other);
    ASSERT_EQ(rest, Numbers(whole.begin() + static_cast<int64_t>(given), whole.end()))
        << "after " << given << " elements";
    Element element;
    iterator.next(element);
  }
}

inline std::string error_of(const std::function<void()>& f) {
  try {
    f();
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing was raised";
}

}  // namespace weft::data
