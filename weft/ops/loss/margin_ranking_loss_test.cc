// Samples of margin_ranking_loss.
#include "weft/ops/loss/loss_samples.h"

using namespace weft::suite;

static Arrays reference(const Attrs& at, const Arrays& in) {
  Array losses = like(in[0], in[0].shape);
  for (size_t i = 0; i < losses.values.size(); ++i) {
    const long double gap = in[0].values[i].re - in[1].values[i].re;
    const long double loss = at.get<double>("margin") - in[2].values[i].re * gap;
    losses.values[i].re = at_least(0.0L, loss);
  }
  return reduced(at, losses);
}

WEFT_OP_TEST(nn__margin_ranking_loss) {
  t.sample({in({3, 4}), in({3, 4}), in({3, 4}, 0.5, 1)});
  t.sample({in({3, 4}), in({3, 4}), in({3, 4}, -1, 1)}, "margin=0.5, reduction=\"none\"");
  t.sample({in({5}), in({5}), in({5}, -1, 1)}, "reduction=\"sum\"");
  t.large({in({300, 301}), in({300, 301}), in({300, 301}, -1, 1)});
  t.reference(reference);
  loss_errors(t, "margin_ranking_loss", {in({3}), in({3}), in({3})});
  shape_error(t, "margin_ranking_loss", {in({3, 1}), in({3}), in({3})});
}
