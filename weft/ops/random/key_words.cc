// What ops that take a key share.
#include "weft/op/apply.h"
#include "weft/ops/random/random.h"
#include "weft/ops/shape/shape_ops.h"

namespace weft::random {

void require_key(const InferCtx& cx, ShapeView key) {
  cx.require(!key.empty() && same(key.back(), 2) != Tri::kNo, "key", "the key has shape ", key,
             "; the last axis of a key has its 2 words");
}

KeyWords words_of_key(std::string_view op, const Tensor& key) {
  if (key.dtype() != DType::kU32) {
    fail(Code::kType, op, "dtype", "key has dtype ", key.dtype(),
         ", but must be uint32; make one with random.Key(seed)",
         is_integer(key.dtype()) ? "" : ", which draws take before anything else");
  }
  if (key.rank() != 1 || decide_same(key.dim(0), 2) == Tri::kNo) {
    fail(Code::kInvalid, op, "key", "the key has shape ", key.shape(),
         ", but one key has shape [2]; index a batch of keys, or vmap over it");
  }
  return {select_row(key, 0), select_row(key, 1)};
}

}  // namespace weft::random
