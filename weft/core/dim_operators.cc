// Comparison of sizes, for programs: raises where symbols leave the answer open.
#include "weft/core/dim_operators.h"

#include "weft/base/error.h"

namespace weft {

bool operator<(Dim a, Dim b) {
  const Tri answer = decide_less(a, b);
  if (answer == Tri::kUnknown) {
    fail(Code::kInvalid, "Dim", "compare", "whether ", to_string(a), " < ", to_string(b),
         " is only known when the graph runs; compare sizes of a tensor that is there");
  }
  return answer == Tri::kYes;
}

}  // namespace weft
