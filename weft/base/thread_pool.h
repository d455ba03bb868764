// The one fork-join pool: parallel_for runs tiles on the caller and the workers.
//
// Tiles are fixed by the caller from the shape alone, never from the number of threads, so results
// do not depend on it.
#pragma once

#include <cstdint>

#include "weft/base/function_ref.h"

namespace weft {

// Calls body(0) ... body(tiles - 1), each once, on any thread, and returns when all have ended. The
// caller takes part. The first exception a tile throws is thrown again here; tiles not begun by
// then are skipped. Between tiles the caller polls for Ctrl-C (see set_interrupt_poll). Nested
// calls run serially.
void parallel_for(int64_t tiles, FunctionRef<void(int64_t tile)> body);

// Threads that take part, the caller included: by affinity, cgroup quota and WEFT_NUM_THREADS, or
// as set.
int num_threads();
void set_num_threads(int count);  // 1 <= count <= 1024, else an Error

// `poll` returns true when the user asked to stop; parallel_for then throws Error{kInterrupted}.
// Null removes it.
void set_interrupt_poll(bool (*poll)());
// Asks it, for those who run long without the pool: throws the same.
void poll_interrupt();
// On this thread nothing is interrupted while it lives: what is half written would stay so.
class Uninterrupted {
 public:
  Uninterrupted();
  ~Uninterrupted();
  Uninterrupted(const Uninterrupted&) = delete;
  Uninterrupted& operator=(const Uninterrupted&) = delete;
};

}  // namespace weft
