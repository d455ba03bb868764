// What fit shows while it works: a bar on a terminal, one line an epoch elsewhere.
#pragma once

#include <memory>

#include "weft/train/history.h"

namespace weft::train {

// Shows nothing; those that show something are made of it.
class Progress {
 public:
  virtual ~Progress() = default;
  // Epochs count from 0; `epochs` is 0 outside of training. `steps` is -1 if it is not known.
  virtual void begin(int64_t epoch, int64_t epochs, int64_t steps, int64_t done) {
    static_cast<void>(epoch), static_cast<void>(epochs), static_cast<void>(steps),
        static_cast<void>(done);
  }
  // After a batch of `count` examples; does it want to show numbers now?
  virtual bool advance(int64_t count) { return static_cast<void>(count), false; }
  virtual void show(const Logs& logs) { static_cast<void>(logs); }
  virtual void end(const Logs& logs) { static_cast<void>(logs); }
  virtual void leave(const std::string& reason) { static_cast<void>(reason); }
  // A line of its own.
  virtual void note(const std::string& what) { static_cast<void>(what); }
};

// 0 shows nothing, 1 a bar, 2 lines, kAuto a bar on a terminal and lines elsewhere; raises
// [who.verbose].
std::unique_ptr<Progress> progress_by(int verbose, std::string_view who);

// A time as people say it: 3.2 s, 41 s, 2 min 5 s, 1 h 20 min.
std::string spoken(double seconds);
// A number of thousands: 12,345.
std::string grouped(double number);

}  // namespace weft::train
