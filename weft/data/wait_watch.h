// WaitWatch: told when its thread waits for data, so that a profile can say how long it did.
#pragma once

namespace weft::data {

class Wait;

// Is told of the waits of the thread that made it; the newest is, where there are several.
class WaitWatch {
 public:
  WaitWatch();
  virtual ~WaitWatch();
  WaitWatch(const WaitWatch&) = delete;
  WaitWatch& operator=(const WaitWatch&) = delete;

 protected:
  virtual void begins() noexcept = 0;
  virtual void ends() noexcept = 0;

 private:
  friend class Wait;
  WaitWatch* const before_;
  Wait* told_ = nullptr;  // the wait that it knows the beginning of
};

// This thread waits for data while it lives. Waits within it, such as those of a pass that is read
// by another one, are a part of it.
class Wait {
 public:
  Wait() noexcept;
  ~Wait();
  Wait(const Wait&) = delete;
  Wait& operator=(const Wait&) = delete;

 private:
  friend class WaitWatch;
  WaitWatch* watch_;  // null: nobody is told
  WaitWatch* next_;   // who is told of the waits to come
};

}  // namespace weft::data
