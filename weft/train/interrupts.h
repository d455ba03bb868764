// Interrupts: Ctrl-C during training: the step at hand is finished first.
#pragma once

#include <csignal>

namespace weft::train {

// While it lives, a first Ctrl-C is noted, and a second one does what it would do without us. Only
// the main thread's is minded, and one that the program ignores stays so.
class Interrupts {
 public:
  Interrupts();
  ~Interrupts();
  Interrupts(const Interrupts&) = delete;
  Interrupts& operator=(const Interrupts&) = delete;

  bool asked() const;

  // While it lives this thread waits for data, and does nothing that must be finished: Ctrl-C ends
  // the wait, with Error{kInterrupted}.
  class Wait {
   public:
    Wait();
    ~Wait();
    Wait(const Wait&) = delete;
    Wait& operator=(const Wait&) = delete;
  };

 private:
  bool is_minded_ = false;
  struct sigaction before_ = {};  // the action we stand in for
};

}  // namespace weft::train
