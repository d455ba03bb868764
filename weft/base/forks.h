// forks_so_far: detects that a process was forked, so that work of threads from before is lost.
#pragma once

namespace weft {

// How often this process and its ancestors have forked into it since the first call. A value that
// differs from an earlier one means that this is a child, without the threads from then.
int forks_so_far();

}  // namespace weft
