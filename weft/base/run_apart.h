// run_apart: runs uninterruptible work on a thread that the caller can abandon.
#pragma once

#include <functional>

namespace weft {

// Runs `work` on a new thread and waits for it; rethrows what it throws. Polls for Ctrl-C
// meanwhile: on an interrupt it throws Error{kInterrupted} at once, and the abandoned work
// continues until it ends or polls. So `work` must own everything that it reads and writes.
void run_apart(std::function<void()> work);

}  // namespace weft
