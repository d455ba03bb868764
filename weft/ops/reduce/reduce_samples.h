// Samples and errors that several reductions share: a pair such as max and min differs in a word.
#pragma once

#include <cmath>

#include "tests/op_suite/samples.h"
#include "weft/base/text.h"

namespace weft::suite {

// Of every reduction whose `axis` is an axis, several or none.
inline void axis_errors(OpTest& t) {
  t.error("axis", {in({3, 4})}, "axis=[2]",
          text(t.op, ": axis 2 is out of range for shape [3, 4]; axes go from -2 to 1 [", t.op,
               ".axis]"));
  t.error(
      "axis", {in({})}, "axis=[0]",
      text(t.op, ": axis 0 is out of range: the input has rank 0 and no axes [", t.op, ".axis]"));
  t.error("axis_twice", {in({3, 4})}, "axis=[0, -2]",
          text(t.op, ": axes [0, -2] name an axis of shape [3, 4] twice; name each axis once [",
               t.op, ".axis_twice]"));
}

inline void complex_error(OpTest& t, const char* needs) {
  t.error("dtype", {typed(in({2}), DType::kC64)}, "",
          text(t.op, ": x has dtype complex64, but must be ", needs, "; cast it first [", t.op,
               ".dtype]"));
}

inline void empty_error(OpTest& t, const char* attrs) {
  t.error(
      "empty", {in({3, 0})}, attrs,
      text(t.op, ": axis 1 of shape [3, 0] has no elements, and none of nothing can be chosen; ",
           "reduce axes of size 1 or more [", t.op, ".empty]"));
}

// All axes, some, none; rows and columns longer than a vector.
inline void axis_samples(OpTest& t, Arg (*make)(std::initializer_list<int64_t>, double, double)) {
  t.sample({make({3, 4}, -2, 2)});
  t.sample({make({3, 4, 5}, -2, 2)}, "axis=[1]");
  t.sample({make({3, 4, 5}, -2, 2)}, "axis=[0, -1], keepdims=true");
  t.sample({make({2, 700}, -2, 2)}, "axis=[1]");
  t.sample({make({300, 3}, -2, 2)}, "axis=[0]");
  t.sample({make({3, 4}, -2, 2)}, "axis=[]");
  t.sample({make({}, -2, 2)});
}

// max and min.
inline void extremum_tests(OpTest& t) {
  axis_samples(t, distinct);
  t.sample({exactly({2, 3}, {NAN, 1, 2, 0, -0.0, -INFINITY}, DType::kF32)}, "axis=[1]");
  t.sample({in({0, 3})}, "axis=[1]");
  empty_error(t, "axis=[1]");
  complex_error(t, "ordered");
  axis_errors(t);
}

// argmax and argmin.
inline void arg_tests(OpTest& t) {
  t.sample({in({3, 4})});
  t.sample({in({3, 4})}, "keepdims=true");
  t.sample({in({3, 4, 5})}, "axis=1");
  t.sample({in({3, 4, 5})}, "axis=-3, keepdims=true");
  t.sample({in({2, 700})}, "axis=1");
  t.sample({in({300, 3})}, "axis=0");
  t.sample({in({})});
  // Ties, and NaN before all else.
  t.sample({exactly({3, 4}, {1, 2, 2, 1, 0, 0, 0, 0, -1, -2, -2, -1})}, "axis=1");
  t.sample({exactly({2, 3}, {1, NAN, NAN, INFINITY, -INFINITY, NAN}, DType::kF32)}, "axis=1");
  t.sample({exactly({2, 3}, {-INFINITY, -INFINITY, -INFINITY, INFINITY, INFINITY, INFINITY},
                    DType::kF64)},
           "axis=1");
  t.sample({in({0, 3})}, "axis=1");
  empty_error(t, "axis=1");
  t.error("axis", {in({3, 4})}, "axis=2",
          text(t.op, ": axis 2 is out of range for shape [3, 4]; axes go from -2 to 1 [", t.op,
               ".axis]"));
  complex_error(t, "ordered");
}

// all and any.
inline void truth_tests(OpTest& t) {
  axis_samples(t, in);
  t.sample({exactly({4, 3}, {0, 0, 0, 1, 0, 0, 0, 1, 1, 1, 1, 1})}, "axis=[1]");
  t.sample({exactly({3}, {0, -0.0, 0})});
  t.sample({exactly({2}, {NAN, 0}, DType::kF32)}, "axis=[]");
  t.sample({in({0, 3})}, "axis=[0]");
  axis_errors(t);
}

// var and std.
inline void variance_tests(OpTest& t) {
  axis_samples(t, in);
  t.sample({in({3, 4})}, "axis=[1], correction=1");
  t.sample({in({3, 4})}, "axis=[1], correction=0.5, keepdims=true");
  t.kink({in({3, 1})}, "axis=[1], correction=1", "it is divided by 0");
  t.kink({in({0, 3})}, "axis=[0]", "the mean of nothing is NaN");
  t.sample({in({2, 50}, 1000, 1001)}, "axis=[1]");  // far from 0: no cancellation
  t.large({in({300, 301})});
  t.large({in({300, 301})}, "axis=[0]");
  axis_errors(t);
}

// cumulative_sum and cumulative_prod; `width` bounds elements that many others meet.
inline void cumulative_tests(OpTest& t, double width) {
  t.sample({in({5})});
  t.sample({in({3, 4})}, "axis=0");
  t.sample({in({2, 3, 4})}, "axis=-2, include_initial=true");
  t.sample({in({2, 0})}, "axis=1, include_initial=true");
  t.sample({in({0})});
  t.large({in({300, 301}, -width, width)}, "axis=0");
  t.large({in({300, 301}, -width, width)}, "axis=1, include_initial=true");
  t.error("axis_needed", {in({2, 3})}, "",
          text(t.op, ": x has shape [2, 3]; say along which axis to run unless the rank is 1 [",
               t.op, ".axis_needed]"));
  t.error("axis", {in({2, 3})}, "axis=2",
          text(t.op, ": axis 2 is out of range for shape [2, 3]; axes go from -2 to 1 [", t.op,
               ".axis]"));
}

// The scans below them; `name` is the op's own.
inline void scan_tests(OpTest& t, const char* name, double width) {
  t.sample({in({3, 4})}, "axis=1");
  t.sample({in({3, 4})}, "axis=0");
  t.sample({in({2, 3, 4})}, "axis=1");
  t.sample({in({2, 0})}, "axis=1");
  t.large({in({300, 301}, -width, width)}, "axis=0");
  t.large({in({300, 301}, -width, width)}, "axis=1");
  t.large({in({90000}, -width, width)}, "axis=0");
  t.error("axis", {in({2, 3})}, "axis=2",
          text(name, ": axis 2 is out of range for shape [2, 3]; axes go from -2 to 1 [", name,
               ".axis]"));
}

}  // namespace weft::suite
