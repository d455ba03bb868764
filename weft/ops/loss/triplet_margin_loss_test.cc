// Samples of triplet_margin_loss.
#include "weft/ops/loss/loss_samples.h"

using namespace weft::suite;

static long double distance(const Array& a, const Array& b, size_t row, double p) {
  const size_t length = static_cast<size_t>(a.shape.back());
  long double total = 0;
  for (size_t j = row * length; j < (row + 1) * length; ++j) {
    total += std::pow(std::fabs(a.values[j].re - b.values[j].re + 1e-6L), (long double)p);
  }
  return std::pow(total, 1 / (long double)p);
}

static Arrays reference(const Attrs& at, const Arrays& in) {
  std::vector<int64_t> shape = in[0].shape;
  shape.pop_back();
  Array losses = like(in[0], shape);
  const double p = at.get<double>("p");
  for (size_t i = 0; i < losses.values.size(); ++i) {
    long double apart = distance(in[0], in[2], i, p);
    if (at.get<bool>("swap")) apart = std::fmin(apart, distance(in[1], in[2], i, p));
    const long double near = distance(in[0], in[1], i, p);
    losses.values[i].re = at_least(0.0L, near - apart + at.get<double>("margin"));
  }
  return reduced(at, losses);
}

WEFT_OP_TEST(nn__triplet_margin_loss) {
  t.sample({in({3, 4}), in({3, 4}), in({3, 4})});
  t.sample({in({3, 4}), in({3, 4}), in({3, 4})}, "margin=0.25, swap=true, reduction=\"none\"");
  t.sample({in({2, 5}, 1, 2), in({2, 5}, -2, -1), in({2, 5}, 3, 4)}, "p=3, reduction=\"sum\"");
  t.large({in({300, 301}), in({300, 301}), in({300, 301})});
  t.reference(reference);
  t.skip("special", "the reference's extremes know no NaN");
  loss_errors(t, "triplet_margin_loss", {in({3, 2}), in({3, 2}), in({3, 2})});
  shape_error(t, "triplet_margin_loss", {in({3, 1}), in({3}), in({3})});
  t.error("rank", {in({}), in({}), in({})}, "",
          "triplet_margin_loss: the inputs have rank 0; vectors are along the last axis "
          "[triplet_margin_loss.rank]");
  t.error("p", {in({3}), in({3}), in({3})}, "p=0.5",
          "triplet_margin_loss: p is 0.5; it must be at least 1 [triplet_margin_loss.p]");
}
