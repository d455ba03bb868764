// in_tasks: a range of units in tasks of the pool, cut by the work alone.
#pragma once

#include <algorithm>
#include <cstdint>

#include "weft/base/thread_pool.h"

namespace weft::kernels {

inline constexpr double kSerialNs = 3000;  // below it a fork costs more than it saves
inline constexpr double kTaskNs = 8000;    // the work of one task

// Calls body(begin, end) for parts of [0, units) that cover it; `ns` is the estimate for one unit.
// The parts depend on these numbers only, never on the number of threads.
template <class Body>
void in_tasks(int64_t units, double ns, Body&& body) {
  if (units <= 0) return;
  const double work = static_cast<double>(units) * ns;
  if (units == 1 || work <= kSerialNs) return body(int64_t{0}, units);
  const double tasks = std::clamp(work / kTaskNs, 2.0, 4096.0);
  const int64_t each =
      std::max<int64_t>(1, static_cast<int64_t>(static_cast<double>(units) / tasks));
  const int64_t count = (units + each - 1) / each;
  parallel_for(count, [&](int64_t task) { body(task * each, std::min(units, (task + 1) * each)); });
}

}  // namespace weft::kernels
