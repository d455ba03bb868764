// embedding_bag.bags: the bag of each index, from the places where bags begin.
#include "weft/op/apply.h"
#include "weft/ops/nn/embedding_bag.h"

namespace weft {
namespace {

struct BagsAttrs {
  int64_t count = 0;
  static constexpr auto fields =
      fields_of(field("count", &BagsAttrs::count, "how many indices there are", kRequired));
};

Types bags_infer(const BagsAttrs& at, const InferCtx& cx, TypeSpan in) {
  cx.require(in[0].rank() > 0, "rank", "offsets have rank 0; the last axis has the bags");
  cx.require(at.count >= 0, "negative", "count is ", at.count, "; it must be at least 0");
  Shape out = in[0].shape;
  out.back() = at.count;
  num_elements(out);
  return {{DType::kI64, out}};
}

// Offsets of one example: from 0, ascending, within the indices.
void require_offsets(std::span<const int64_t> offsets, int64_t count) {
  const InferCtx cx{"embedding_bag"};
  cx.require(!offsets.empty() || count == 0, "offsets", "there are no offsets, but ", count,
             " indices; the first bag must begin at 0");
  int64_t before = 0;
  for (size_t b = 0; b < offsets.size(); ++b) {
    cx.require(b > 0 || offsets[b] == 0, "offsets", "the first offset is ", offsets[b],
               "; the first bag must begin at 0");
    cx.require(offsets[b] >= before, "offsets", "offset ", offsets[b], " of bag ", b, " is below ",
               before, ", the one before; offsets must ascend");
    cx.require(offsets[b] <= count, "offsets", "offset ", offsets[b], " of bag ", b,
               " is beyond the ", count, " indices; it may be at most that");
    before = offsets[b];
  }
}

void run(const BagsAttrs& at, TensorSpan in, TensorSpan out) {
  const std::vector<int64_t> all = in[0].to_vector<int64_t>();
  const Tensor& result = out[0];
  const auto bags = static_cast<size_t>(in[0].dim(-1).value());
  const int64_t examples =
      bags > 0 ? static_cast<int64_t>(all.size() / bags)
               : num_elements(in[0].shape().first(in[0].shape().size() - 1)).value();
  auto* to = static_cast<int64_t*>(result.writable_data());
  for (int64_t e = 0; e < examples; ++e) {
    const auto offsets = std::span(all).subspan(static_cast<size_t>(e) * bags, bags);
    require_offsets(offsets, at.count);
    for (size_t b = 0; b < bags; ++b) {
      const int64_t end = b + 1 < bags ? offsets[b + 1] : at.count;
      for (int64_t i = offsets[b]; i < end; ++i) *to++ = static_cast<int64_t>(b);
    }
  }
}

}  // namespace

constinit const OpDef kEmbeddingBagBags{
    .name = "embedding_bag.bags",
    .module = "nn",
    .doc =
        "The number of the bag that each of `count` indices is in, where bag b begins at "
        "`offsets[b]` and ends where the next one begins. Offsets ascend from 0 to at most "
        "`count`; equal ones make empty bags.",
    .inputs = {"offsets: int64"},
    .outputs = {"out: int64"},
    .attrs = attrs_type<BagsAttrs>(),
    .laws = {Law{"rank", "offsets have an axis"}, Law{"negative", "`count` is at least 0"},
             Law{"offsets", "offsets ascend from 0 to at most `count`"}},
    .infer = rule<bags_infer>(),
    .grad = derive::not_differentiable("bags are integers"),
    .batch = batch::broadcasting(),
    .kernel = kernel::native<run>(),
};

Tensor bags_of(const Tensor& offsets, int64_t count) {
  return apply(kEmbeddingBagBags, inputs(offsets), BagsAttrs{count}, Where{});
}

}  // namespace weft
