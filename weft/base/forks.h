// Forks: what makes a forked child usable although it has only the thread that forked.
//
// Three kinds of state need care, and each has one function or class here:
// - Locks for short work (base/mutex.h) and values that are being written: the fork waits until no
//   other thread is inside (ForkDelay), so the child finds them free and whole.
// - Locks that are held for long, and threads: the child replaces them (renew_in_children).
// - Work that waits for a thread: the child notices that the thread is lost (forks_so_far).
#pragma once

namespace weft {

// How often this process and its ancestors have forked into it. A value that differs from an
// earlier one means that this is a child, without the threads from then.
int forks_so_far();

// Every forked child calls `renew` before it goes on: on its only thread, when no short lock is
// held. For the life of the process.
void renew_in_children(void (*renew)());

// Calls `lock` in the forking thread before a fork, after all ForkDelays of other threads have
// ended, and `unlock` after it in both processes: for one lock whose holder never waits for
// another.
void lock_for_forks(void (*lock)(), void (*unlock)());

// While it lives, forks by other threads wait, up to two seconds: for work of at most milliseconds
// that never waits for another thread's Python code. The thread itself may fork.
class ForkDelay {
 public:
  ForkDelay() { begin(); }
  ~ForkDelay() { end(); }
  ForkDelay(const ForkDelay&) = delete;
  ForkDelay& operator=(const ForkDelay&) = delete;

  static void begin();
  static void end();
};

// Does another thread wait to fork until this one has left its ForkDelays? Then this thread must
// not wait for what the other holds, such as the GIL.
bool is_fork_waiting_for_this_thread();

}  // namespace weft
