// Values that stand for a Variable: they are read as the Variable would be, and are no place.
#include "weft/op/variable.h"

#include <gtest/gtest.h>

#include "weft/base/error.h"
#include "weft/op/hooks.h"
#include "weft/weft.h"

namespace weft {
namespace {

template <class F>
std::string raised_by(F f) {
  try {
    f();
  } catch (const Error& error) {
    const std::string what = error.what();
    return what.substr(0, what.find('\n'));
  }
  return "nothing";
}

TEST(Variable, GivenValuesAreReadAndNotWritten) {
  const Variable weight(ones({2}), {.name = "weight"});
  const Variable given = VariableHooks::reading(weight, full({2}, Tensor(3.0f)));
  EXPECT_EQ(sum(given.read()).item(), 6);
  const std::string text =
      "Variable: a value was given in place of the Variable weight, and cannot be assigned to; "
      "leave it out of the values, or give it back as a result [Variable.given]";
  EXPECT_EQ(raised_by([&] { given.assign(zeros({2})); }), text);
  EXPECT_EQ(raised_by([&] { given.assign_add(ones({2})); }), text);
  EXPECT_EQ(sum(weight.value()).item(), 2);
}

}  // namespace
}  // namespace weft
