// Ctrl-C: the handler only notes it.
#include "weft/train/interrupts.h"

#include <sys/syscall.h>
#include <unistd.h>

#include "weft/base/interrupt_poll.h"
#include "weft/base/thread_pool.h"

namespace weft::train {
namespace {

volatile std::sig_atomic_t asked_now = 0;
struct sigaction action_before = {};
InterruptPoll poll_before = nullptr;
thread_local bool is_waiting = false;

bool is_wait_over() {
  return (is_waiting && asked_now != 0) || (poll_before != nullptr && poll_before());
}

// The second one is the action's that stood here before: by default the program ends.
void note(int number) {
  if (asked_now != 0) {
    sigaction(number, &action_before, nullptr);
    raise(number);
    return;
  }
  asked_now = 1;
}

bool is_main_thread() { return syscall(SYS_gettid) == getpid(); }

}  // namespace

Interrupts::Interrupts() {
  if (!is_main_thread() || sigaction(SIGINT, nullptr, &before_) != 0) return;
  // A training inside of a callback leaves the signal to the one around it.
  const bool is_ours = (before_.sa_flags & SA_SIGINFO) == 0 && before_.sa_handler == note;
  if (is_ours || ((before_.sa_flags & SA_SIGINFO) == 0 && before_.sa_handler == SIG_IGN)) return;
  asked_now = 0;
  action_before = before_;
  struct sigaction action = {};
  action.sa_handler = note;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  is_minded_ = sigaction(SIGINT, &action, nullptr) == 0;
  if (!is_minded_) return;
  poll_before = current_interrupt_poll();
  set_interrupt_poll(is_wait_over);
}

Interrupts::~Interrupts() {
  if (!is_minded_) return;
  set_interrupt_poll(poll_before);
  sigaction(SIGINT, &before_, nullptr);
}

Interrupts::Wait::Wait() { is_waiting = true; }
Interrupts::Wait::~Wait() { is_waiting = false; }

bool Interrupts::asked() const { return is_minded_ && asked_now != 0; }

}  // namespace weft::train
