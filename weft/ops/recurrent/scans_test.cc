// Samples of the scans of recurrent networks.
#include <algorithm>

#include "weft/ops/recurrent/recurrent_reference.h"

using namespace weft::suite;

namespace {

Arrays scanned(Kind kind, const Arrays& in, const Array* bias, size_t first, size_t states) {
  const size_t mask = first + states;
  const auto inside = [&](size_t t, size_t b) {
    if (in.size() <= mask) return true;
    return in[mask].values[t * static_cast<size_t>(in[0].shape[1]) + b].i != 0;
  };
  const Scanned out =
      scan(kind, in[0], in[1], bias, numbers(in[first]), numbers(in[first + states - 1]), inside);
  if (kind == Kind::kLstm) return {out.h, out.c, out.inside};
  if (kind == Kind::kGru) return {out.h, out.inside};
  return {out.h};
}

Arrays rnn_reference(const Attrs& at, const Arrays& in) {
  return scanned(at.get<bool>("relu") ? Kind::kRelu : Kind::kTanh, in, nullptr, 2, 1);
}
Arrays gru_reference(const Attrs&, const Arrays& in) {
  const Array& own = in[2];  // that of n; there are none of r and z
  Array bias = like(own, {3 * own.shape[0]});
  std::copy(own.values.begin(), own.values.end(), bias.values.end() - own.shape[0]);
  return scanned(Kind::kGru, in, &bias, 3, 1);
}
Arrays lstm_reference(const Attrs&, const Arrays& in) {
  return scanned(Kind::kLstm, in, nullptr, 2, 2);
}

const Arg kMask = exactly({3, 2, 1}, {1, 1, 1, 1, 1, 0}, DType::kBool);
const char* const kZero = "0 * inf in a sum of products is NaN, in the gradient as in the product";
const char* const kShared = "the gradient of a weight that a batch shares is one sum over it";

}  // namespace

WEFT_OP_TEST(nn__rnn__scan) {
  t.skip("zero", kZero);
  t.sums_batches_elsewhere(kShared);
  t.sample({in({3, 2, 2}, -1, 1), in({2, 2}, -1, 1), in({2, 2}, -1, 1)});
  t.sample({in({3, 2, 2}, -1, 1), in({2, 2}, -1, 1), in({2, 2}, -1, 1), kMask});
  t.sample({in({3, 2, 2}, 0.5, 1), in({2, 2}, 0.1, 1), in({2, 2}, 0.1, 1)}, "relu=true");
  t.sample({in({0, 2, 2}), in({2, 2}), in({2, 2}, -1, 1)});
  t.large({in({4, 40, 64}, -1, 1), in({64, 64}, -0.2, 0.2), in({40, 64}, -1, 1)});
  t.reference(rnn_reference);
  t.tolerance(4, "three steps in a row");
  t.error("rank", {in({3, 2}), in({2, 2}), in({2, 2})}, "",
          "rnn.scan: x has shape [3, 2] and weight [2, 2]; they must be [time, batch, gates * "
          "size] and [gates * size, size] [rnn.scan.rank]");
  t.error("shape", {in({3, 2, 3}), in({2, 2}), in({2, 2})}, "",
          "rnn.scan: x has shape [3, 2, 3] and weight [2, 2]; with 1 gates of size 2 they must "
          "have 2 of them [rnn.scan.shape]");
}

WEFT_OP_TEST(nn__gru__scan) {
  t.skip("zero", kZero);
  t.sums_batches_elsewhere(kShared);
  t.sample({in({3, 2, 6}, -1, 1), in({6, 2}, -1, 1), in({2}, -1, 1), in({2, 2}, -1, 1)});
  t.sample({in({3, 2, 6}, -1, 1), in({6, 2}, -1, 1), in({2}, -1, 1), in({2, 2}, -1, 1), kMask});
  t.sample({in({0, 2, 6}), in({6, 2}), in({2}), in({2, 2}, -1, 1)});
  t.large({in({4, 40, 96}, -1, 1), in({96, 32}, -0.2, 0.2), in({32}, -1, 1), in({40, 32}, -1, 1)});
  t.reference(gru_reference);
  t.tolerance(4, "three steps in a row");
  t.error("rank", {in({3, 2}), in({6, 2}), in({2}), in({2, 2})}, "",
          "gru.scan: x has shape [3, 2] and weight [6, 2]; they must be [time, batch, gates * "
          "size] and [gates * size, size] [gru.scan.rank]");
  t.error("shape", {in({3, 2, 6}), in({6, 2}), in({5}), in({2, 2})}, "",
          "gru.scan: bias has shape [5]; it must be [2] [gru.scan.shape]");
}

WEFT_OP_TEST(nn__lstm__scan) {
  t.skip("zero", kZero);
  t.sums_batches_elsewhere(kShared);
  t.sample({in({3, 2, 8}, -1, 1), in({8, 2}, -1, 1), in({2, 2}, -1, 1), in({2, 2}, -1, 1)});
  t.sample({in({3, 2, 8}, -1, 1), in({8, 2}, -1, 1), in({2, 2}, -1, 1), in({2, 2}, -1, 1), kMask});
  t.sample({in({0, 2, 8}), in({8, 2}), in({2, 2}, -1, 1), in({2, 2}, -1, 1)});
  t.large({in({4, 40, 128}, -1, 1), in({128, 32}, -0.2, 0.2), in({40, 32}, -1, 1),
           in({40, 32}, -1, 1)});
  t.reference(lstm_reference);
  t.tolerance(4, "three steps in a row");
  t.error("rank", {in({3, 2}), in({8, 2}), in({2, 2}), in({2, 2})}, "",
          "lstm.scan: x has shape [3, 2] and weight [8, 2]; they must be [time, batch, gates * "
          "size] and [gates * size, size] [lstm.scan.rank]");
  t.error("shape", {in({3, 2, 8}), in({8, 2}), in({2, 3}), in({2, 2})}, "",
          "lstm.scan: a first state has shape [2, 3]; it must be [2, 2] [lstm.scan.shape]");
}
