// Events of ops, and what is made of them.
#include "weft/train/profile.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <exception>
#include <map>
#include <ostream>

#include "weft/base/error.h"
#include "weft/base/file.h"
#include "weft/base/grouped.h"
#include "weft/base/spoken.h"
#include "weft/core/allocator.h"
#include "weft/core/byte_count.h"
#include "weft/data/wait_watch.h"
#include "weft/io/json/json.h"
#include "weft/train/picture/pictures.h"
#include "weft/transform/custom.h"

namespace weft::train {
namespace {

thread_local Profile* open_profile = nullptr;

double clock_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// Of the outputs that have memory of their own: not of those that are views of an input.
int64_t bytes_made(const Observation& seen) {
  int64_t bytes = 0;
  for (const Tensor& out : seen.outputs) {
    const auto* const at = static_cast<const char*>(out.data());
    const bool is_view = std::ranges::any_of(seen.inputs, [&](const Tensor& in) {
      const auto* const start = static_cast<const char*>(in.data());
      return start <= at && at - start < std::max<int64_t>(byte_count(in), 1);
    });
    if (!is_view) bytes = sum_of_bytes(bytes, byte_count(out));
  }
  return bytes;
}

std::string formatted(const char* format, double number) {
  char digits[64];
  std::snprintf(digits, sizeof digits, format, number);
  return digits;
}

// In the unit that suits it.
std::string spoken_time(double seconds) {
  if (seconds >= 1000) return grouped(formatted("%.0f", seconds)) + " s";
  if (seconds >= 1) return formatted("%.3g s", seconds);
  if (seconds >= 1e-3) return formatted("%.3g ms", seconds / 1e-3);
  return formatted("%.3g us", seconds * 1e6);
}

std::string percent(double part) { return formatted("%.1f%%", 100 * part); }

using Line = std::array<std::string, 7>;

// Columns under each other: the first begins at the left, the others end at the right.
std::vector<std::string> laid_out(const std::vector<Line>& rows) {
  std::array<size_t, 7> widths{};
  for (const Line& row : rows) {
    for (size_t k = 0; k < row.size(); ++k) widths[k] = std::max(widths[k], row[k].size());
  }
  std::vector<std::string> out;
  for (const Line& row : rows) {
    std::string line = row[0] + std::string(widths[0] - row[0].size(), ' ');
    for (size_t k = 1; k < row.size(); ++k) {
      line += text("  ", std::string(widths[k] - row[k].size(), ' '), row[k]);
    }
    out.push_back(std::move(line));
  }
  return out;
}

std::string total_line(const ProfileReport& report, double spent) {
  const double of_all = report.seconds > 0 ? report.seconds : 1;
  std::string out = text(grouped(text(report.events.size())), " ops");
  if (report.steps() > 0) {
    out += text(" in ", grouped(text(report.steps())), report.steps() == 1 ? " step" : " steps");
  }
  out += text(", ", spoken_time(report.seconds), ": ", percent(spent / of_all), " in ops");
  if (const std::optional<double> waiting = report.waiting()) {
    out += text(", ", percent(*waiting), " waiting for data");
  }
  return text(out, "; at most ", spoken_bytes(report.peak()), " of tensors in use");
}

io::Json span_of(std::string name, int64_t row, double start, double seconds,
                 io::JsonObject args = {}) {
  return io::JsonObject{{"name", std::move(name)}, {"ph", "X"},
                        {"pid", int64_t{1}},       {"tid", row},
                        {"ts", start * 1e6},       {"dur", seconds * 1e6},
                        {"args", std::move(args)}};
}

}  // namespace

std::optional<double> ProfileReport::waiting() const {
  if (waits.empty() || seconds <= 0) return {};
  double sum = 0;
  for (const Wait& one : waits) sum += one.seconds;
  return sum / seconds;
}

int64_t ProfileReport::peak() const {
  if (events.empty()) return first_live;
  return std::ranges::max_element(events, {}, &ProfileEvent::live)->live;
}

std::vector<ProfileTotal> ProfileReport::by(std::string_view what) const {
  if (what != "op" && what != "line") {
    fail(Code::kInvalid, "profile", "by", "by is '", what, "'; it is 'op' or 'line'");
  }
  std::vector<ProfileTotal> totals;
  std::map<std::string, size_t> places;
  for (const ProfileEvent& event : events) {
    const std::string& own = what == "op" ? event.op : event.line;
    const std::string name = own.empty() ? "(no line)" : own;
    const auto [at, is_new] = places.emplace(name, totals.size());
    if (is_new) totals.push_back({.name = name});
    ProfileTotal& total = totals[at->second];
    ++total.calls;
    total.seconds += event.seconds;
    total.results += event.results;
    total.most_live = std::max(total.most_live, event.live);
  }
  std::ranges::sort(totals, {}, [](const ProfileTotal& one) {
    return std::pair<double, std::string_view>(-one.seconds, one.name);
  });
  return totals;
}

std::string ProfileReport::table(std::string_view what, int64_t most) const {
  const std::vector<ProfileTotal> totals = by(what);
  double spent = 0;
  for (const ProfileTotal& total : totals) spent += total.seconds;
  std::vector<Line> rows{
      {std::string(what), "calls", "time", "part", "each", "results", "most in use"}};
  const size_t shown = std::min(totals.size(), static_cast<size_t>(std::max<int64_t>(most, 0)));
  for (size_t k = 0; k < shown; ++k) {
    const ProfileTotal& total = totals[k];
    rows.push_back({total.name, grouped(text(total.calls)), spoken_time(total.seconds),
                    percent(total.seconds / (spent > 0 ? spent : 1)),
                    spoken_time(total.seconds / static_cast<double>(total.calls)),
                    spoken_bytes(total.results), spoken_bytes(total.most_live)});
  }
  const std::vector<std::string> lines = laid_out(rows);
  const std::string rule(lines[0].size(), '-');
  std::string out = text(lines[0], '\n', rule, '\n');
  for (size_t k = 1; k < lines.size(); ++k) out += text(lines[k], '\n');
  if (totals.size() > shown) out += text("and ", totals.size() - shown, " more\n");
  return text(out, rule, '\n', total_line(*this, spent));
}

void append_text(std::string& out, const ProfileReport& report) { out += report.table(); }
std::ostream& operator<<(std::ostream& out, const ProfileReport& report) {
  return out << report.table();
}

void ProfileReport::chrome_trace(const std::string& path) const {
  io::JsonArray all;
  const char* const rows[] = {"steps", "ops", "waiting for data"};
  for (int64_t row = 0; row < 3; ++row) {
    all.push_back(io::JsonObject{{"name", "thread_name"},
                                 {"ph", "M"},
                                 {"pid", int64_t{1}},
                                 {"tid", row},
                                 {"args", io::JsonObject{{"name", rows[row]}}}});
  }
  for (size_t k = 0; k < marks.size(); ++k) {
    const double start = k == 0 ? 0 : marks[k - 1];
    all.push_back(span_of(text("step ", k + 1), 0, start, marks[k] - start));
  }
  for (const Wait& one : waits) all.push_back(span_of("waiting", 2, one.start, one.seconds));
  for (const ProfileEvent& event : events) {
    io::Json line = event.line.empty() ? io::Json() : io::Json(event.line);
    all.push_back(span_of(event.op, 1, event.start, event.duration,
                          {{"line", std::move(line)}, {"results", event.results}}));
    all.push_back(io::JsonObject{{"name", "memory"},
                                 {"ph", "C"},
                                 {"pid", int64_t{1}},
                                 {"ts", (event.start + event.duration) * 1e6},
                                 {"args", io::JsonObject{{"bytes", event.live}}}});
  }
  const io::Json whole = io::JsonObject{{"traceEvents", std::move(all)}, {"displayTimeUnit", "ms"}};
  AtomicFile file(path, "profile");
  file.write(io::to_text(whole));
  file.commit();
}

void ProfileReport::draw_memory(const std::string& path) const {
  MemoryByTime memory{
      .moments = {{0, static_cast<double>(first_live)}}, .marks = marks, .seconds = seconds};
  for (const ProfileEvent& event : events) {
    memory.moments.push_back({event.start + event.duration, static_cast<double>(event.live)});
  }
  train::draw_memory(path, memory);
}

class Profile::Watch final : public Observer {
 public:
  Watch() : origin_(clock_now()) { report.first_live = memory_stats().live; }

  double now() const { return is_ended_ ? report.seconds : clock_now() - origin_ - noting_; }
  bool is_ended() const { return is_ended_; }
  void stop() {
    end();
    waits_.reset();
    report.seconds = now();
    is_ended_ = true;
  }

  ProfileReport report;

 private:
  // An op that may turn out to be a part of the next: when it ended, its seconds, and those of
  // noting in them.
  struct Ended {
    double end, seconds, noting;
  };

  void see(const Observation& seen) override {
    const double begun = clock_now(), took = static_cast<double>(seen.nanoseconds) * 1e-9;
    double inside = 0, noting = 0;
    while (!last_.empty() && last_.back().end > begun - took) {  // ended after this one began
      inside += last_.back().seconds;
      noting += last_.back().noting;
      last_.pop_back();
    }
    const double duration = std::max(took - noting, 0.0);
    const double start = std::max(begun - origin_ - noting_ - duration, 0.0);
    report.events.push_back({.op = std::string(shown_name(seen.op, seen.attrs)),
                             .line = seen.where.known() ? to_string(seen.where) : "",
                             .start = start,
                             .duration = duration,
                             .seconds = std::max(took - inside, 0.0),
                             .results = bytes_made(seen),
                             .live = memory_stats().live});
    const double spent = clock_now() - begun;
    noting_ += spent;
    last_.push_back({begun, took + spent, noting + spent});
  }

  class Waits final : public data::WaitWatch {
   public:
    explicit Waits(Watch& watch) : watch_(watch) {}

   private:
    void begins() noexcept override { begun_ = watch_.now(); }
    void ends() noexcept override {
      watch_.report.waits.push_back({begun_, watch_.now() - begun_});
    }
    Watch& watch_;
    double begun_ = 0;
  };

  const double origin_;
  std::optional<Waits> waits_{std::in_place, *this};
  double noting_ = 0;  // seconds in which the clock stood
  bool is_ended_ = false;
  std::vector<Ended> last_;
};

Profile* Profile::current() { return open_profile; }

Profile::Profile(std::string path) : path_(std::move(path)), watch_(std::make_unique<Watch>()) {
  if (open_profile != nullptr) {
    fail(Code::kInvalid, "profile", "nested",
         "another profile is open on this thread; end it first");
  }
  open_profile = this;
  watch_->begin();
}

Profile::~Profile() {
  const bool has_ended = watch_->is_ended();
  stop();
  if (has_ended || path_.empty() || std::uncaught_exceptions() > 0) return;
  try {
    report().chrome_trace(path_);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
  }
}

void Profile::stop() {
  if (watch_->is_ended()) return;
  watch_->stop();
  open_profile = nullptr;
}

void Profile::step() { watch_->report.marks.push_back(now()); }
void Profile::waited(double start, double seconds) {
  watch_->report.waits.push_back({start, seconds});
}
double Profile::now() const { return watch_->now(); }

const ProfileReport& Profile::end() {
  const bool has_ended = watch_->is_ended();
  stop();
  if (!has_ended && !path_.empty()) report().chrome_trace(path_);
  return report();
}

const ProfileReport& Profile::report() const { return watch_->report; }

}  // namespace weft::train
