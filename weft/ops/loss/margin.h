// The attributes of losses with a margin.
#pragma once

#include "weft/op/op.h"

namespace weft {

struct MarginAttrs {
  double margin = 0;
  std::string reduction = "mean";
  static constexpr auto fields =
      fields_of(field("margin", &MarginAttrs::margin, "how far apart they should be"),
                field("reduction", &MarginAttrs::reduction,
                      "\"mean\", \"sum\", or \"none\" for all of them"));
};

}  // namespace weft
