// Profile: where the time and the memory of a program go, op by op.
//
//   train::Profile profile("trace.json");      // for chrome://tracing and Perfetto
//   model.fit({x, y}, {.epochs = 2});
//   const train::ProfileReport& report = profile.end();
//   std::cout << report << "\n";
//   report.draw_memory("memory.png");
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "weft/op/observe.h"

namespace weft::train {

// An op that was computed.
struct ProfileEvent {
  std::string op, line;  // its name, and the line that called it: "train.cc:12", or nothing
  double start = 0;      // in seconds since the beginning
  double duration = 0;   // in seconds, with the ops that it called
  double seconds = 0;    // the same without them
  int64_t results = 0, live = 0;  // bytes: of its results, and of all tensors in use after it
};

// What all events of one name come to.
struct ProfileTotal {
  std::string name;
  int64_t calls = 0;
  double seconds = 0;
  int64_t results = 0;
  int64_t most_live = 0;
};

// What a profile has seen; text(report) is the table of ops.
struct ProfileReport {
  struct Wait {
    double start = 0, seconds = 0;
  };
  std::vector<ProfileEvent> events;
  std::vector<double> marks;  // when each step ended
  std::vector<Wait> waits;    // for data
  double seconds = 0;         // from the beginning to the end
  int64_t first_live = 0;     // bytes in use at the beginning

  int64_t steps() const { return static_cast<int64_t>(marks.size()); }
  // The part of the time in which data was waited for; none if nobody told.
  std::optional<double> waiting() const;
  // The most bytes of tensors in use after an op.
  int64_t peak() const;
  // Sums over ops ("op") or over the lines that called them ("line"), the dearest first; raises
  // [profile.by].
  std::vector<ProfileTotal> by(std::string_view what = "op") const;
  // Time and memory of the dearest of them, as text.
  std::string table(std::string_view what = "op", int64_t most = 20) const;
  // Writes it as JSON for chrome://tracing and Perfetto: steps, ops, waiting and memory.
  void chrome_trace(const std::string& path) const;
  // Draws the bytes of tensors in use over the time, as .png or .svg; steps are shaded in turn, so
  // that each cycle shows.
  void draw_memory(const std::string& path) const;
};
void append_text(std::string& out, const ProfileReport& report);
std::ostream& operator<<(std::ostream& out, const ProfileReport& report);

// Notes every op that this thread computes while it lives. Traced functions are computed op by op
// meanwhile, so that each is seen: with the same bits, but without fused kernels and arenas; for
// those there is weft::profile. Waiting for the elements of a data::Dataset is noted, too. A
// profile of `fit` knows steps; in a loop of your own `step()` ends one. The clock stands while an
// op is being noted.
class Profile {
 public:
  // With a path, the Chrome trace is written there when it ends, unless by an exception. Raises
  // [profile.nested] if another one is open on this thread.
  explicit Profile(std::string path = "");
  // Ends it; a trace that cannot be written is told on stderr.
  ~Profile();
  Profile(const Profile&) = delete;
  Profile& operator=(const Profile&) = delete;

  // Ends a step.
  void step();
  // Notes that data was waited for, of another source than a Dataset.
  void waited(double start, double seconds);
  // Seconds since the beginning.
  double now() const;
  // Ends it, on the thread that began it, and writes the trace; raises what writing raises.
  const ProfileReport& end();
  // What was seen so far.
  const ProfileReport& report() const;

  // The one that is open on this thread; null: none is.
  static Profile* current();

 private:
  class Watch;
  void stop();

  std::string path_;
  std::unique_ptr<Watch> watch_;
};

}  // namespace weft::train
