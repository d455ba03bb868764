// Samples of batch_norm and its parts.
#include "weft/ops/norm/channel_reference.h"

using namespace weft::suite;

namespace {

struct Channels {
  const Array& x;
  size_t axis;

  size_t of(size_t i) const {
    return static_cast<size_t>(unravel(static_cast<int64_t>(i), x.shape)[axis]);
  }
  size_t count() const { return static_cast<size_t>(x.shape[axis]); }
};

Array normalized_by(const Channels& channels, const std::vector<Moments>& moments, double eps,
                    const Array* weight, const Array* bias) {
  Array out = like(channels.x, channels.x.shape);
  for (size_t i = 0; i < out.values.size(); ++i) {
    const size_t c = channels.of(i);
    const long double scale = 1 / std::sqrt(moments[c].variance + eps);
    out.values[i].re =
        (channels.x.values[i].re - moments[c].mean) * scale * (weight ? weight->values[c].re : 1) +
        (bias ? bias->values[c].re : 0);
  }
  return out;
}

std::vector<Moments> moments_by(const Channels& channels) {
  std::vector<Moments> out;
  for (size_t c = 0; c < channels.count(); ++c) {
    out.push_back(moments_of(channels.x, [&](size_t i) { return channels.of(i) == c; }));
  }
  return out;
}

Arrays reference(const Attrs& at, const Arrays& in) {
  const int64_t axis =
      normalized(at.get<int64_t>("axis"), static_cast<int64_t>(in[0].shape.size()));
  const Channels channels{in[0], static_cast<size_t>(axis)};
  const std::vector<Moments> now = moments_by(channels);
  std::vector<Moments> used = now;
  Array mean = like(in[0], {static_cast<int64_t>(channels.count())}), variance = mean;
  const long double momentum = at.get<double>("momentum");
  const auto count = static_cast<long double>(in[0].values.size() / channels.count());
  for (size_t c = 0; c < channels.count(); ++c) {
    const long double unbiased = now[c].variance * count / (count - 1);
    if (in.size() < 3) {
      mean.values[c].re = now[c].mean, variance.values[c].re = unbiased;
      continue;
    }
    const long double old_mean = in[1].values[c].re, old_variance = in[2].values[c].re;
    const bool training = at.get<bool>("training");
    if (!training) used[c] = {old_mean, old_variance};
    mean.values[c].re = training ? old_mean * (1 - momentum) + now[c].mean * momentum : old_mean;
    variance.values[c].re =
        training ? old_variance * (1 - momentum) + unbiased * momentum : old_variance;
  }
  return {normalized_by(channels, used, at.get<double>("eps"), in.size() > 3 ? &in[3] : nullptr,
                        in.size() > 4 ? &in[4] : nullptr),
          mean, variance};
}

Arrays train_reference(const Attrs& at, const Arrays& in) {
  const Channels channels{in[0], 1};
  const std::vector<Moments> moments = moments_by(channels);
  Array mean = like(in[0], {in[0].shape[1], 1}), variance = mean;
  for (size_t c = 0; c < channels.count(); ++c) {
    mean.values[c].re = moments[c].mean, variance.values[c].re = moments[c].variance;
  }
  return {normalized_by(channels, moments, at.get<double>("eps"), &in[1], &in[2]), mean, variance};
}

Arrays vjp_reference(const Attrs&, const Arrays& in) {
  const Array &x = in[0], &g = in[1];
  const Channels channels{x, 1};
  Array dx = like(x, x.shape), dweight = like(x, {x.shape[1], 1}), dbias = dweight;
  const auto count = static_cast<long double>(x.values.size() / channels.count());
  const auto centred = [&](size_t i) { return x.values[i].re - in[3].values[channels.of(i)].re; };
  for (size_t i = 0; i < x.values.size(); ++i) {
    dweight.values[channels.of(i)].re +=
        g.values[i].re * centred(i) * in[4].values[channels.of(i)].re;
    dbias.values[channels.of(i)].re += g.values[i].re;
  }
  for (size_t i = 0; i < x.values.size(); ++i) {
    const size_t c = channels.of(i);
    const long double scale = in[4].values[c].re;
    dx.values[i].re = in[2].values[c].re * scale *
                      (g.values[i].re - dbias.values[c].re / count -
                       centred(i) * scale * dweight.values[c].re / count);
  }
  return {dx, dweight, dbias};
}

}  // namespace

WEFT_OP_TEST(nn__batch_norm) {
  t.skip("zero", "a channel with an infinity or NaN is NaN, and so is its gradient");
  t.skip("symbolic", "that a channel has two values or more is asked when sizes are known");
  t.sample({in({3, 2, 4}), in({2}), in({2}, 0.5, 2), in({2}), in({2})});
  t.sample({in({3, 2}), in({2}), in({2}, 0.5, 2)}, "eps=0.1");
  t.kink({in({3, 2, 4}), in({2}), in({2}, 0.5, 2), in({2}), in({2})}, "training=true",
         "no gradient flows through the running statistics");
  t.kink({in({5, 2}), in({2}), in({2}, 0.5, 2)}, "training=true, momentum=0.3",
         "no gradient flows through the running statistics");
  t.kink({in({2, 2, 3, 2})}, "training=true, eps=0.01",
         "no gradient flows through the running statistics");
  t.kink({in({2, 2, 3, 2}), in({2}), in({2}, 0.5, 2), in({2})}, "training=true, axis=-1",
         "no gradient flows through the running statistics");
  t.large({in({8, 40, 16}), in({40}), in({40}, 0.5, 2), in({40}), in({40})}, "training=true");
  t.reference(reference);
  t.tolerance(4, "scaled, then shifted: in f16 and bf16 rounded in between");
  t.error("rank", {in({3})}, "training=true",
          "batch_norm: x has shape [3]; it must have a batch axis and channels [batch_norm.rank]");
  t.error("axis", {in({3, 2})}, "training=true, axis=2",
          "batch_norm: axis 2 is out of range for shape [3, 2]; axes go from -2 to 1 "
          "[batch_norm.axis]");
  t.error("channels", {in({3, 2}), in({3}), in({2})}, "",
          "batch_norm: running_mean has shape [3], but x has 2 channels; it must have one number "
          "each [batch_norm.channels]");
  t.error("running", {in({3, 2})}, "",
          "batch_norm: there are no running statistics to normalize by; give running_mean and "
          "running_var, or set training [batch_norm.running]");
  t.error("count", {in({1, 2})}, "training=true",
          "batch_norm: x has shape [1, 2], less than two values a channel; training needs at least "
          "2 for a variance [batch_norm.count]");
}

WEFT_OP_TEST(nn__batch_norm__train) {
  t.skip("zero", "a channel with an infinity or NaN is NaN, and so is its gradient");
  t.sample({in({3, 2, 4}), in({2, 1}), in({2, 1})});
  t.sample({in({1, 2, 5}), in({2, 1}), in({2, 1})}, "eps=0.1");
  t.sample({in({5, 2, 1}), in({2, 1}), in({2, 1})}, "eps=0.01");
  t.large({in({8, 40, 16}), in({40, 1}), in({40, 1})});
  t.reference(train_reference);
  t.error("rank", {in({3, 2}), in({2, 1}), in({2, 1})}, "",
          "batch_norm.train: x has shape [3, 2]; it must be [batch, channels, space] "
          "[batch_norm.train.rank]");
  t.error("channels", {in({3, 2, 4}), in({2}), in({2, 1})}, "",
          "batch_norm.train: weight has shape [2], but x has shape [3, 2, 4]; it must be "
          "[channels, 1] [batch_norm.train.channels]");
}

WEFT_OP_TEST(nn__batch_norm__vjp) {
  t.skip("zero", "a channel with an infinity or NaN is NaN, and so is its gradient");
  t.sample({in({3, 2, 4}), in({3, 2, 4}), in({2, 1}), in({2, 1}), in({2, 1}, 0.5, 2)});
  t.sample({in({1, 2, 5}), in({1, 2, 5}), in({2, 1}), in({2, 1}), in({2, 1}, 0.5, 2)});
  t.large({in({8, 40, 16}), in({8, 40, 16}), in({40, 1}), in({40, 1}), in({40, 1}, 0.5, 2)});
  t.reference(vjp_reference);
  t.tolerance(8, "the sums have up to 12 terms of size 16");
  t.error("rank", {in({3, 2}), in({3, 2}), in({2, 1}), in({2, 1}), in({2, 1})}, "",
          "batch_norm.vjp: x has shape [3, 2]; it must be [batch, channels, space] "
          "[batch_norm.vjp.rank]");
  t.error("shape", {in({3, 2, 4}), in({3, 2, 1}), in({2, 1}), in({2, 1}), in({2, 1})}, "",
          "batch_norm.vjp: g has shape [3, 2, 1], but x has shape [3, 2, 4]; they must be equal "
          "[batch_norm.vjp.shape]");
  t.error("channels", {in({3, 2, 4}), in({3, 2, 4}), in({2}), in({2, 1}), in({2, 1})}, "",
          "batch_norm.vjp: input 2 has shape [2], but x has shape [3, 2, 4]; it must be "
          "[channels, 1] [batch_norm.vjp.channels]");
}

WEFT_OP_TEST(nn__batch_norm__moments) {
  t.sample({in({3, 2, 4})});
  t.sample({in({5})});
  t.large({in({8, 40, 301})});
  t.error("rank", {in({})}, "",
          "batch_norm.moments: x has rank 0; it needs an axis of space "
          "[batch_norm.moments.rank]");
}

WEFT_OP_TEST(nn__batch_norm__scaled) {
  t.sample({in({3, 2, 4}), in({2, 1}), in({2, 1}), in({2, 1})});
  t.large({in({8, 40, 301}), in({40, 1}), in({40, 1}), in({40, 1})});
  t.error("rank", {in({}), in({}), in({}), in({})}, "",
          "batch_norm.scaled: x has rank 0; it needs an axis of space [batch_norm.scaled.rank]");
  t.error("rows", {in({2, 1}), in({2, 3}), in({}), in({})}, "",
          "batch_norm.scaled: input 1 has shape [2, 3], which does not broadcast to that of x, "
          "[2, 1] [batch_norm.scaled.rows]");
}

WEFT_OP_TEST(nn__batch_norm__sums) {
  t.sample({in({3, 2, 4}), in({3, 2, 4}), in({2, 1})});
  t.large({in({8, 40, 301}), in({8, 40, 301}), in({40, 1})});
  t.error("rank", {in({}), in({}), in({})}, "",
          "batch_norm.sums: x has rank 0; it needs an axis of space [batch_norm.sums.rank]");
  t.error("rows", {in({2, 1}), in({2, 3}), in({})}, "",
          "batch_norm.sums: input 1 has shape [2, 3], which does not broadcast to that of x, "
          "[2, 1] [batch_norm.sums.rows]");
}

WEFT_OP_TEST(nn__batch_norm__dx) {
  t.sample({in({3, 2, 4}), in({3, 2, 4}), in({2, 1}), in({2, 1}), in({2, 1}), in({2, 1})});
  t.large({in({8, 40, 301}), in({8, 40, 301}), in({40, 1}), in({40, 1}), in({40, 1}), in({40, 1})});
  t.error("rank", {in({}), in({}), in({}), in({}), in({}), in({})}, "",
          "batch_norm.dx: x has rank 0; it needs an axis of space [batch_norm.dx.rank]");
  t.error("rows", {in({2, 1}), in({2, 3}), in({}), in({}), in({}), in({})}, "",
          "batch_norm.dx: input 1 has shape [2, 3], which does not broadcast to that of x, [2, 1] "
          "[batch_norm.dx.rows]");
}
