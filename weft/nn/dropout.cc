// What dropout layers share.
#include "weft/nn/dropout.h"

#include "weft/base/error.h"
#include "weft/nn/repr.h"
#include "weft/ops/random/key.h"

namespace weft::nn::detail {

double probability(std::string_view who, double p) {
  if (!(0 <= p && p <= 1)) {
    fail(Code::kInvalid, who, "probability", "p is ", shown(p),
         "; a probability is between 0 and 1");
  }
  return p;
}

std::string shown_probability(double p) { return Words().add("p", p).text(); }

Tensor drawn_words() { return random::next_key().words(); }

}  // namespace weft::nn::detail
