// ElementStream: as many numbers as a rejection method needs, for one element of a draw.
//
// They depend on the key, the element's position and how many were taken before: never on other
// elements.
#pragma once

#include <cmath>

#include "weft/base/thread_pool.h"
#include "weft/ops/random/draw_math.h"
#include "weft/ops/random/philox.h"
#include "weft/ops/random/random.h"

namespace weft::random {

class ElementStream {
 public:
  ElementStream(uint32_t key0, uint32_t key1, uint64_t position)
      : key0_(key0), key1_(key1), position_(position) {}

  // In (0, 1): 52 bits and a half.
  double uniform() {
    if (used_ == 4) refill();
    const uint64_t bits = uint64_t{block_.words[used_]} << 32 | block_.words[used_ + 1];
    used_ += 2;
    return (static_cast<double>(bits >> 12) + 0.5) * 0x1p-52;
  }

  // Standard normal, by Marsaglia's polar method.
  double normal() {
    while (true) {
      const double a = 2 * uniform() - 1, b = 2 * uniform() - 1, s = a * a + b * b;
      if (s > 0 && s < 1) return a * std::sqrt(-2 * draw_log(s) / s);
    }
  }

 private:
  void refill() {
    const Block<uint32_t> counter{{static_cast<uint32_t>(position_),
                                   static_cast<uint32_t>(position_ >> 32),
                                   static_cast<uint32_t>(Stream::kReject), next_++}};
    block_ = philox(key0_, key1_, counter, [](uint32_t x) { return x; });
    used_ = 0;
  }

  uint32_t key0_, key1_;
  uint64_t position_;
  uint32_t next_ = 0;
  int used_ = 4;
  Block<uint32_t> block_{};
};

// For ops whose inputs are keys [lead.., 2] and parameters of one shape [lead.., rest..]: element i
// of `rest` is drawn from position i of its key.
void require_lead(const InferCtx& cx, ShapeView key, ShapeView parameters);
// All inputs get the batch axis: each example draws from its own key, or from the shared one.
Tensors lead_batched(const OpDef& op, const void* attrs, const BatchCtx& cx);

// Calls body(stream, i) for every element of the parameters, in tasks of the pool.
template <class Body>
void for_each_draw(const Tensor& key, const Tensor& parameters, const Body& body) {
  const std::vector<uint32_t> words = key.to_vector<uint32_t>();
  const int64_t count = parameters.numel(), keys = static_cast<int64_t>(words.size()) / 2;
  if (count == 0) return;
  const int64_t each = count / keys;
  constexpr int64_t kTask = 256;
  parallel_for((count + kTask - 1) / kTask, [&](int64_t task) {
    const int64_t end = std::min(count, (task + 1) * kTask);
    for (int64_t i = task * kTask; i < end; ++i) {
      const auto at = static_cast<size_t>(i / each * 2);
      ElementStream stream(words[at], words[at + 1], static_cast<uint64_t>(i % each));
      body(stream, i);
    }
  });
}

}  // namespace weft::random
