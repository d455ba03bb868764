// Samples of segment_sum, segment_prod, segment_max, segment_min, segment_mean and bincount.
#include <gtest/gtest.h>

#include "weft/base/text.h"
#include "weft/ops/reduce/reduce_reference.h"
#include "weft/weft.h"

using namespace weft::suite;

namespace {

using Reduce = ScalarValue (*)(const Row& row, DType dtype);

// data as [batch, rows, columns], and the rows of each segment in their order.
Arrays by_segment(const Attrs& at, const Arrays& in, DType dtype, Reduce reduce) {
  const Array &data = in[0], &ids = in[1];
  const auto batch_axes = static_cast<size_t>(at.get<int64_t>("batch_axes"));
  const auto segments = static_cast<size_t>(at.get<int64_t>("num_segments"));
  size_t batch = 1, rows = 1, columns = 1;
  Array out{dtype, {}, {}};
  for (size_t i = 0; i < data.shape.size(); ++i) {
    const auto size = static_cast<size_t>(data.shape[i]);
    (i < batch_axes ? batch : i < ids.shape.size() ? rows : columns) *= size;
    if (i == batch_axes) out.shape.push_back(static_cast<int64_t>(segments));
    if (i < batch_axes || i >= ids.shape.size()) out.shape.push_back(data.shape[i]);
  }
  if (batch_axes == data.shape.size()) out.shape.push_back(static_cast<int64_t>(segments));
  for (size_t b = 0; b < batch; ++b) {
    for (size_t s = 0; s < segments; ++s) {
      for (size_t c = 0; c < columns; ++c) {
        Row row;
        for (size_t i = 0; i < rows; ++i) {
          if (ids.values[b * rows + i].i != static_cast<int64_t>(s)) continue;
          row.push_back(data.values[(b * rows + i) * columns + c]);
        }
        out.values.push_back(reduce(row, data.dtype));
      }
    }
  }
  return {out};
}

ScalarValue sum_of(const Row& row, DType) {
  ScalarValue total;
  for (const ScalarValue& v : row) total = plus(total, v);
  return total;
}
ScalarValue product_of(const Row& row, DType dtype) {
  ScalarValue total{1, 0, 1};
  for (const ScalarValue& v : row) total = (is_complex(dtype) ? times : real_times)(total, v);
  return total;
}
ScalarValue mean_of_row(const Row& row, DType dtype) {
  const ScalarValue total = sum_of(row, dtype);
  const auto n = static_cast<long double>(std::max<size_t>(1, row.size()));
  return {total.re / n, is_complex(dtype) ? total.im / n : 0, 0};
}

template <bool largest>
ScalarValue nothing(DType dtype) {
  if (is_floating(dtype)) return {largest ? -INFINITY : INFINITY, 0, 0};
  if (dtype == DType::kBool) return {0, 0, !largest};
  const int bits = static_cast<int>(8 * size_of(dtype));
  if (is_unsigned_integer(dtype)) {
    return {0, 0, largest ? 0 : static_cast<int64_t>(~uint64_t{0} >> (64 - bits))};
  }
  const int64_t high = INT64_MAX >> (64 - bits);
  return {0, 0, largest ? -high - 1 : high};
}

template <bool largest>
ScalarValue extremum_of(const Row& row, DType dtype) {
  if (row.empty()) return nothing<largest>(dtype);
  ScalarValue best = row[0];
  for (const ScalarValue& v : row) {
    if (std::isnan(best.re) || std::isnan(v.re)) {
      best.re = NAN;
      continue;
    }
    const bool below = is_floating(dtype) ? best.re < v.re
                       : dtype == DType::kU64
                           ? static_cast<uint64_t>(best.i) < static_cast<uint64_t>(v.i)
                           : best.i < v.i;
    const bool differs = best.re != v.re || best.i != v.i;
    if (differs && below == largest) best = v;
  }
  return best;
}

void segment_samples(OpTest& t, Arg (*make)(std::initializer_list<int64_t>, double, double)) {
  t.sample({make({6}, -2, 2), indices({6}, {2, 0, 2, 1, 0, 2})}, "num_segments=3");
  t.sample({make({5, 3}, -2, 2), indices({5}, {3, 0, 2, 1, 3})}, "num_segments=4");
  t.sample({make({2, 3, 2}, -2, 2), indices({2, 3}, {1, 0, 1, 0, 0, 1})}, "num_segments=2");
  t.sample({make({2, 3, 2}, -2, 2), indices({2, 3}, {1, 0, 1, 0, 0, 1})},
           "num_segments=2, batch_axes=1");
  t.sample({make({4}, -2, 2), typed(indices({4}, {0, 1, 1, 0}), DType::kI32)}, "num_segments=2");
  t.kink({make({0, 2}, -2, 2), exactly({0}, {}, DType::kI64)}, "num_segments=2",
         "an empty segment may be infinite");
  t.kink({make({3}, -2, 2), indices({3}, {2, 0, 2})}, "num_segments=4",
         "an empty segment may be infinite");
  t.large({in({3000, 70}), typed(in({3000}, 0, 40), DType::kI64)}, "num_segments=50");
  t.large({in({90000}), typed(in({90000}, 0, 40), DType::kI64)}, "num_segments=50");
  const std::string& op = t.op;
  t.error("ids", {in({3, 2}), indices({2}, {0, 1})}, "num_segments=2",
          text(op,
               ": segment_ids have shape [2] but data has shape [3, 2]; they must be its first "
               "axes [",
               op, ".ids]"));
  t.error("negative", {in({2}), indices({2}, {0, 1})}, "num_segments=-1",
          text(op, ": num_segments is -1; it must be at least 0 [", op, ".negative]"));
  t.error("batch_axes", {in({2}), indices({2}, {0, 1})}, "num_segments=2, batch_axes=2",
          text(op, ": batch_axes is 2, but segment_ids have rank 1; it goes from 0 to that [", op,
               ".batch_axes]"));
  t.error("index_dtype", {in({2}), typed(indices({2}, {0, 1}), DType::kU64)}, "num_segments=2",
          text(op, ": indices have dtype uint64, which int64 does not hold; cast them first [", op,
               ".index_dtype]"));
}

void range_errors(OpTest& t) {
  t.error("range", {in({2, 2}), indices({2, 2}, {0, 1, 2, 0})}, "num_segments=2",
          text(t.op,
               ": segment id 2 at position [1, 0] is out of range for 2 segments; ids count "
               "from 0 [",
               t.op, ".range]"));
  t.error("range", {in({2}), indices({2}, {0, -1})}, "num_segments=2",
          text(t.op,
               ": segment id -1 at position [1] is out of range for 2 segments; ids count "
               "from 0 [",
               t.op, ".range]"));
}

template <Reduce reduce>
Arrays reference(const Attrs& at, const Arrays& in) {
  return by_segment(at, in, in[0].dtype, reduce);
}

Arrays bincount_reference(const Attrs& at, const Arrays& in) {
  int64_t length = at.get<int64_t>("minlength");
  for (const ScalarValue& v : in[0].values) length = std::max(length, v.i + 1);
  length = at.get<std::optional<int64_t>>("length").value_or(length);
  Array out{in.size() > 1 ? in[1].dtype : DType::kI64, {length}, {}};
  out.values.resize(static_cast<size_t>(length));
  for (size_t i = 0; i < in[0].values.size(); ++i) {
    ScalarValue& place = out.values[static_cast<size_t>(in[0].values[i].i)];
    place = plus(place, in.size() > 1 ? in[1].values[i] : ScalarValue{0, 0, 1});
  }
  return {out};
}

}  // namespace

WEFT_OP_TEST(segment_sum) {
  segment_samples(t, in);
  range_errors(t);
  t.reference(reference<sum_of>);
}

WEFT_OP_TEST(segment_prod) {
  t.skip("zero", "0 times an infinite element is NaN, in the gradient as in the product");
  segment_samples(t, in);
  t.sample({exactly({6}, {0, 2, 0, 3, 0, 4}), indices({6}, {0, 0, 1, 1, 1, 2})}, "num_segments=4");
  range_errors(t);
  t.reference(reference<product_of>);
}

WEFT_OP_TEST(segment_max) {
  segment_samples(t, distinct);
  t.kink({exactly({4}, {1, 1, NAN, 2}, DType::kF32), indices({4}, {0, 0, 1, 1})}, "num_segments=2",
         "equal elements share");
  range_errors(t);
  t.reference(reference<extremum_of<true>>);
}

WEFT_OP_TEST(segment_min) {
  segment_samples(t, distinct);
  t.kink({exactly({4}, {1, 1, NAN, 2}, DType::kF32), indices({4}, {0, 0, 1, 1})}, "num_segments=2",
         "equal elements share");
  range_errors(t);
  t.reference(reference<extremum_of<false>>);
}

WEFT_OP_TEST(segment_mean) {
  t.skip("complex special", "dividing by a complex count spreads a NaN to both parts");
  segment_samples(t, in);
  t.reference(reference<mean_of_row>);
}

WEFT_OP_TEST(bincount) {
  t.sample({indices({5}, {1, 0, 3, 1, 1})}, "length=5");
  t.sample({typed(indices({2, 2}, {1, 0, 2, 1}), DType::kU8)}, "length=3");
  t.sample({indices({4}, {1, 0, 3, 1}), in({4})}, "length=4");
  t.sample({indices({4}, {1, 0, 3, 1}), in({4})}, "length=6, minlength=2");
  t.large({typed(in({90000}, 0, 40), DType::kI64)}, "length=50");
  t.reference(bincount_reference);
  t.error("dtype", {typed(in({3}), DType::kF32)}, "length=3",
          "bincount: x has dtype float32, but must be an integer that int64 holds; cast it first "
          "[bincount.dtype]");
  t.error("negative", {indices({1}, {0})}, "length=-1",
          "bincount: length is -1; it must be at least 0 [bincount.negative]");
  t.error("negative", {indices({1}, {0})}, "minlength=-1",
          "bincount: minlength is -1; it must be at least 0 [bincount.negative]");
  t.error("weights", {indices({2}, {0, 1}), in({3})}, "length=3",
          "bincount: weights have shape [3] but x has shape [2]; they must be equal "
          "[bincount.weights]");
  t.error("range", {indices({2}, {0, -1})}, "",
          "bincount: x has the number -1; what is counted is at least 0 [bincount.range]");
  t.error("range", {indices({2}, {0, 5})}, "length=3",
          "bincount: x has the number 5, but length is 3; what is counted is below it "
          "[bincount.range]");
}

TEST(Bincount, NeedsALengthWhereXIsTraced) {
  try {
    weft::vmap([](weft::Tensor x) { return weft::bincount(x); })(weft::zeros({2, 3}, DType::kI64));
    FAIL() << "nothing was raised";
  } catch (const weft::Error& error) {
    EXPECT_EQ(text(error.op, ": ", error.message, " [", error.op, ".", error.law, "]"),
              "bincount: x is only known when the graph runs, or differs between the examples of a "
              "vmap, but its greatest number decides the length; give length [bincount.concrete]");
  }
}
