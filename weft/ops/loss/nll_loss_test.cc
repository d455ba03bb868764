// Samples of nll_loss.
#include "weft/ops/loss/loss_samples.h"

using namespace weft::suite;

static Arrays reference(const Attrs& at, const Arrays& in) {
  const size_t length = static_cast<size_t>(in[0].shape.back());
  const auto ignored = at.get<std::optional<int64_t>>("ignore_index");
  Array losses = like(in[0], in[1].shape);
  long double weights = 0;
  for (size_t i = 0; i < losses.values.size(); ++i) {
    const int64_t label = in[1].values[i].i;
    if (ignored && label == *ignored) continue;
    const long double weight = in.size() > 2 ? in[2].values[static_cast<size_t>(label)].re : 1;
    losses.values[i].re = -weight * in[0].values[i * length + static_cast<size_t>(label)].re;
    weights += weight;
  }
  if (at.get<std::string>("reduction") != "mean") return reduced(at, losses);
  Array out = like(widened(losses), {});
  for (const weft::ScalarValue& v : losses.values) out.values[0].re += v.re / weights;
  return {out};
}

WEFT_OP_TEST(nn__nll_loss) {
  t.sample({in({3, 4}), indices({3}, {0, 3, 1})});
  t.sample({in({3, 4}), indices({3}, {0, 3, 1})}, "reduction=\"sum\"");
  t.sample({in({2, 2, 5}), indices({2, 2}, {4, 0, 1, 2}), in({5}, 0.5, 2)}, "reduction=\"none\"");
  t.sample({in({3, 4}), indices({3}, {0, -7, 1}), in({4}, 0.5, 2)}, "ignore_index=-7");
  t.large({in({300, 301}), typed(in({300}, 0, 300), weft::DType::kI64)});
  t.skip("special", "what is left out counts nothing, and weights are finite");
  t.reference(reference);
  loss_errors(t, "nll_loss", {in({3, 2}), indices({3}, {0, 1, 0})});
  t.error("target", {in({3, 4}), indices({4}, {0, 1, 2, 3})}, "",
          "nll_loss: target has shape [4] and input [3, 4] with its classes along axis 1; numbered "
          "classes need shape [3] (axis says where the classes are) [nll_loss.target]");
  t.error("range", {in({3, 4}), indices({3}, {0, 1, -1})}, "",
          "nll_loss: target -1 at position [2] is out of range; classes go from 0 to 3 "
          "[nll_loss.range]");
  t.error("weight", {in({3, 4}), indices({3}, {0, 1, 0}), in({3})}, "",
          "nll_loss: weight has shape [3] but there are 4 classes; it needs one number for each "
          "[nll_loss.weight]");
}
