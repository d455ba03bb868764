// interpolate.axis: one axis brought to another size by weighing 2 or 4 elements.
#pragma once

#include "weft/op/op.h"

namespace weft {

struct InterpolateAxisAttrs {
  int64_t axis = -1;
  int64_t places = 1;
  double step = 1;
  bool cubic = false;
  bool align_corners = false;
  static constexpr auto fields = fields_of(
      field("axis", &InterpolateAxisAttrs::axis, "the axis", kRequired),
      field("places", &InterpolateAxisAttrs::places, "its new size", kRequired),
      field("step", &InterpolateAxisAttrs::step, "elements from place to place"),
      field("cubic", &InterpolateAxisAttrs::cubic, "by Keys' cubic, of 4 elements instead of 2"),
      field("align_corners", &InterpolateAxisAttrs::align_corners,
            "the outermost elements stay where they are, whatever the step"));
};

extern const OpDef kInterpolateAxis;

}  // namespace weft
