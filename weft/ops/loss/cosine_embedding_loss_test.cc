// Samples of cosine_embedding_loss.
#include "weft/ops/loss/loss_samples.h"

using namespace weft::suite;

static Arrays reference(const Attrs& at, const Arrays& in) {
  Array losses = like(in[0], in[2].shape);
  const size_t length = static_cast<size_t>(in[0].shape.back());
  for (size_t i = 0; i < losses.values.size(); ++i) {
    long double dot = 0, a = 0, b = 0;
    for (size_t j = i * length; j < (i + 1) * length; ++j) {
      dot += in[0].values[j].re * in[1].values[j].re;
      a += in[0].values[j].re * in[0].values[j].re;
      b += in[1].values[j].re * in[1].values[j].re;
    }
    const long double cosine = dot / std::sqrt(a * b);
    const bool alike = in[2].values[i].re > 0;
    losses.values[i].re = alike ? 1 - cosine : at_least(0.0L, cosine - at.get<double>("margin"));
  }
  return reduced(at, losses);
}

WEFT_OP_TEST(nn__cosine_embedding_loss) {
  t.sample({in({3, 4}, 0.5, 2), in({3, 4}, 0.5, 2), exactly({3}, {1, -1, 1})});
  t.sample({in({3, 4}, 0.5, 2), in({3, 4}, 0.5, 2), exactly({3}, {-1, -1, 1})},
           "margin=0.25, reduction=\"none\"");
  t.sample({in({2, 5}, -2, -1), in({2, 5}, 0.5, 2), exactly({2}, {1, 1})}, "reduction=\"sum\"");
  t.large({in({300, 301}), in({300, 301}), in({300}, 0.5, 1)});
  t.reference(reference);
  t.skip("special", "vectors with infinities have no angle");
  loss_errors(t, "cosine_embedding_loss", {in({3, 2}), in({3, 2}), in({3})});
  shape_error(t, "cosine_embedding_loss", {in({3, 1}), in({3}), in({3})});
  t.error("rank", {in({}), in({}), in({})}, "",
          "cosine_embedding_loss: the inputs have rank 0; their vectors are along the last axis "
          "[cosine_embedding_loss.rank]");
}
