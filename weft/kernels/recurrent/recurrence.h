// The function of native::recurrence: the loop over time of recurrent networks.
#pragma once

#include "weft/core/recurrence.h"

namespace weft::kernels {

void recurrence(const Recurrence& recurrence);

}  // namespace weft::kernels
