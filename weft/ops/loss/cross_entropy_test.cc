// Samples of cross_entropy, and of the ops that do its work.
#include "weft/ops/loss/loss_samples.h"

using namespace weft::suite;

namespace {

long double total_of(const Array& x, size_t row, size_t length) {
  long double greatest = -INFINITY, total = 0;
  for (size_t j = row * length; j < (row + 1) * length; ++j) {
    if (std::isnan(x.values[j].re)) return x.values[j].re;
    greatest = std::fmax(greatest, x.values[j].re);
  }
  if (std::isinf(greatest)) return greatest;
  for (size_t j = row * length; j < (row + 1) * length; ++j) {
    total += std::exp(x.values[j].re - greatest);
  }
  return greatest + std::log(total);
}

size_t label_of(const Array& labels, size_t row, size_t length) {
  const int64_t label = labels.values[row].i;
  return static_cast<size_t>(label < 0 ? label + static_cast<int64_t>(length) : label);
}

// Numbered classes along the last axis; `smoothing` and weights as in the definition.
Arrays numbered(const Attrs& at, const Arrays& in) {
  const size_t length = static_cast<size_t>(in[0].shape.back());
  const double smoothing = at.get<double>("label_smoothing");
  const auto ignored = at.get<std::optional<int64_t>>("ignore_index");
  const auto weight = [&](size_t k) { return in.size() > 2 ? in[2].values[k].re : 1.0L; };
  Array losses = like(in[0], in[1].shape);
  long double weights = 0;
  for (size_t i = 0; i < losses.values.size(); ++i) {
    if (ignored && in[1].values[i].i == *ignored) continue;
    const size_t label = label_of(in[1], i, length);
    const long double total = total_of(in[0], i, length);
    long double even = 0;
    for (size_t k = 0; k < length; ++k)
      even += weight(k) * (total - in[0].values[i * length + k].re);
    const long double sharp = weight(label) * (total - in[0].values[i * length + label].re);
    losses.values[i].re =
        (1 - smoothing) * sharp + (smoothing > 0 ? smoothing * even / (long double)length : 0);
    weights += weight(label);
  }
  if (at.get<std::string>("reduction") != "mean") return reduced(at, losses);
  Array out = like(widened(losses), {});
  for (const weft::ScalarValue& v : losses.values) out.values[0].re += v.re / weights;
  return {out};
}

Arrays of_probabilities(const Attrs& at, const Arrays& in) {
  const size_t length = static_cast<size_t>(in[0].shape.back());
  std::vector<int64_t> shape = in[0].shape;
  shape.pop_back();
  Array losses = like(in[0], shape);
  for (size_t i = 0; i < losses.values.size(); ++i) {
    const long double total = total_of(in[0], i, length);
    for (size_t k = 0; k < length; ++k) {
      const long double smooth = at.get<double>("label_smoothing");
      const long double p =
          in[1].values[i * length + k].re * (1 - smooth) + smooth / (long double)length;
      const long double weight = in.size() > 2 ? in[2].values[k].re : 1;
      losses.values[i].re += weight * p * (total - in[0].values[i * length + k].re);
    }
  }
  return reduced(at, losses);
}

Arrays reference(const Attrs& at, const Arrays& in) {
  return weft::kind_of(in[1].dtype) <= weft::Kind::kInteger ? numbered(at, in)
                                                            : of_probabilities(at, in);
}

}  // namespace

WEFT_OP_TEST(nn__cross_entropy) {
  t.sample({in({3, 4}), indices({3}, {0, 3, 1})});
  t.sample({in({3, 4}, -50, 50), indices({3}, {0, 3, 1})}, "reduction=\"sum\"");
  t.sample({in({2, 2, 5}), indices({2, 2}, {4, 0, 1, 2}), in({5}, 0.5, 2)}, "reduction=\"none\"");
  t.sample({in({3, 4}), indices({3}, {0, -7, 1}), in({4}, 0.5, 2)}, "ignore_index=-7");
  t.sample({in({3, 4}), indices({3}, {0, -7, 1}), in({4}, 0.5, 2)},
           "ignore_index=-7, label_smoothing=0.25");
  t.sample({in({3, 4}), indices({3}, {0, 2, 1})}, "label_smoothing=0.25, reduction=\"sum\"");
  t.sample({in({3, 4}), in({3, 4}, 0, 0.5)});
  t.sample({in({3, 4}), in({3, 4}, 0, 0.5), in({4}, 0.5, 2)},
           "label_smoothing=0.25, reduction=\"none\"");
  t.large({in({300, 301}), typed(in({300}, 0, 300), weft::DType::kI64)});
  t.reference(reference);
  t.skip("special", "the reference knows no infinite differences");
  loss_errors(t, "cross_entropy", {in({3, 2}), indices({3}, {0, 1, 0})});
  t.error("shape", {in({3, 2}), typed(in({3}), weft::DType::kF32)}, "",
          "cross_entropy: target has dtype float32 and shape [3], but probabilities have the shape "
          "of input, [3, 2]; numbers of classes are integers: cast them [cross_entropy.shape]");
  t.error("target", {in({3, 4, 2}), indices({3, 2}, {0, 1, 2, 3, 0, 1})}, "",
          "cross_entropy: target has shape [3, 2] and input [3, 4, 2] with its classes along axis "
          "2; numbered classes need shape [3, 4] (axis says where the classes are) "
          "[cross_entropy.target]");
  t.error("weight", {in({3, 4}), indices({3}, {0, 1, 0}), in({3})}, "",
          "cross_entropy: weight has shape [3] but there are 4 classes; it needs one number for "
          "each [cross_entropy.weight]");
  t.error("smoothing", {in({1, 2}), indices({1}, {0})}, "label_smoothing=2",
          "cross_entropy: label_smoothing is 2.0; it must be between 0 and 1 "
          "[cross_entropy.smoothing]");
  t.error("ignored", {in({1, 2}), in({1, 2})}, "ignore_index=0",
          "cross_entropy: ignore_index is 0, but targets are probabilities; only numbered classes "
          "can be left out [cross_entropy.ignored]");
  t.error("range", {in({1, 2}), indices({1}, {2})}, "",
          "cross_entropy: target 2 at position [0] is out of range; classes go from 0 to 1 "
          "[cross_entropy.range]");
  t.error("range", {in({2, 2, 3}), indices({2, 2}, {0, 1, -1, 2}), in({3})}, "ignore_index=1",
          "cross_entropy: target -1 at position [1, 0] is out of range; classes go from 0 to 2 "
          "[cross_entropy.range]");
}

static Arrays rows(const Attrs&, const Arrays& in) {
  const size_t length = static_cast<size_t>(in[0].shape.back());
  Array out = like(in[0], in[1].shape);
  for (size_t i = 0; i < out.values.size(); ++i) {
    const size_t label = label_of(in[1], i, length);
    out.values[i].re = total_of(in[0], i, length) - in[0].values[i * length + label].re;
  }
  return {out};
}

WEFT_OP_TEST(nn__cross_entropy__rows) {
  t.sample({in({3, 4}), indices({3, 1}, {0, 3, -1})});
  t.sample({in({2, 2, 70}, -50, 50), indices({2, 2, 1}, {4, 69, 1, 2})});
  t.large({in({300, 301}), typed(in({300, 1}, 0, 300), weft::DType::kI64)});
  t.reference(rows);
  t.skip("special", "the reference knows no infinite differences");
  t.error(
      "rank", {in({}), indices({}, {0})}, "",
      "cross_entropy.rows: x has rank 0; it needs an axis of classes [cross_entropy.rows.rank]");
  t.error("row", {in({3, 4}), indices({3}, {0, 1, 2})}, "",
          "cross_entropy.rows: an input has shape [3]; it has one number for each row of x, so its "
          "last axis has size 1 [cross_entropy.rows.row]");
  t.error(
      "index_dtype", {in({1, 4}), typed(indices({1, 1}, {0}), weft::DType::kU64)}, "",
      "cross_entropy.rows: indices have dtype uint64, which int64 does not hold; cast them first "
      "[cross_entropy.rows.index_dtype]");
}

static Arrays cotangents(const Attrs&, const Arrays& in) {
  const size_t length = static_cast<size_t>(in[0].shape.back());
  Array out = like(in[0], in[0].shape);
  for (size_t i = 0; i < in[1].values.size(); ++i) {
    const long double total = total_of(in[0], i, length), g = in[2].values[i].re;
    for (size_t k = 0; k < length; ++k) {
      const long double share = std::exp(in[0].values[i * length + k].re - total);
      out.values[i * length + k].re = (share - (k == label_of(in[1], i, length) ? 1 : 0)) * g;
    }
  }
  return {out};
}

WEFT_OP_TEST(nn__cross_entropy__vjp) {
  t.sample({in({3, 4}), indices({3, 1}, {0, 3, -1}), in({3, 1})});
  t.sample({in({2, 2, 70}, -5, 5), indices({2, 2, 1}, {4, 69, 1, 2}), in({2, 2, 1})});
  t.large({in({300, 301}), typed(in({300, 1}, 0, 300), weft::DType::kI64), in({300, 1})});
  t.reference(cotangents);
  t.skip("special", "the reference knows no infinite differences");
  t.error("rank", {in({}), indices({}, {0}), in({})}, "",
          "cross_entropy.vjp: x has rank 0; it needs an axis of classes [cross_entropy.vjp.rank]");
  t.error("row", {in({3, 4}), indices({3, 1}, {0, 1, 2}), in({3})}, "",
          "cross_entropy.vjp: an input has shape [3]; it has one number for each row of x, so its "
          "last axis has size 1 [cross_entropy.vjp.row]");
  t.error(
      "index_dtype", {in({1, 4}), typed(indices({1, 1}, {0}), weft::DType::kU64), in({1, 1})}, "",
      "cross_entropy.vjp: indices have dtype uint64, which int64 does not hold; cast them first "
      "[cross_entropy.vjp.index_dtype]");
}
