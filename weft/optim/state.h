// The state of optimizers, schedules and averages by name: saved, and loaded again.
#pragma once

#include <map>

#include "weft/optim/group.h"

namespace weft::optim {

using StateDict = std::map<std::string, Tensor>;

StateDict values_of(std::span<const NamedVariable> own);
// Gives each Variable the value of its name; raises, before anything is changed, if one is missing,
// surplus or of another type.
void load_state(std::string_view who, std::span<const NamedVariable> own, const StateDict& given,
                Where where);

}  // namespace weft::optim
