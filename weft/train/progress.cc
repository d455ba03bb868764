// The bar and the lines of fit.
#include "weft/train/progress.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <vector>

#include "weft/base/error.h"
#include "weft/train/model.h"

namespace weft::train {
namespace {

constexpr int64_t kBars[] = {24, 10, 5};  // lengths of the bar, by the room there is
constexpr double kPause = 0.1;            // seconds between two pictures of the bar

double now() {
  const auto time = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double>(time).count();
}

std::vector<std::string> each_of(const Logs& logs, int digits = 4) {
  std::vector<std::string> out;
  for (const auto& [name, value] : logs) out.push_back(text(name, ' ', shown(value, digits)));
  return out;
}

// Those that are not empty.
std::string joined(std::span<const std::string> parts, std::string_view between = "  ") {
  std::string out;
  for (const std::string& part : parts) {
    if (!part.empty()) out += text(out.empty() ? "" : between, part);
  }
  return out;
}

std::string numbers_of(const Logs& logs) { return joined(each_of(logs)); }

// How many characters a line of the terminal has room for, now: people change the sizes of windows.
size_t room() {
  const char* const given = std::getenv("COLUMNS");
  int64_t columns = given != nullptr ? std::atoll(given) : 0;
  struct winsize size = {};
  if (columns <= 0 && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0) columns = size.ws_col;
  if (columns <= 0) columns = 80;
  return static_cast<size_t>(columns - 1);  // in the last one some terminals begin a new line
}

void print(const std::string& what) {
  std::fwrite(what.data(), 1, what.size(), stdout);
  std::fflush(stdout);
}

class Lines : public Progress {
 public:
  void begin(int64_t epoch, int64_t epochs, int64_t, int64_t) override {
    head_ = epochs == 0 ? "" : text("epoch ", epoch + 1, '/', epochs, "  ");
    examples_ = 0;
    start_ = now();
  }
  bool advance(int64_t count) override {
    examples_ += static_cast<double>(count);
    return false;
  }
  void end(const Logs& logs) override { print(total(logs) + "\n"); }
  void leave(const std::string& reason) override { print(text(head_, reason, '\n')); }
  void note(const std::string& what) override { print(what + "\n"); }

 protected:
  double seconds() const { return now() - start_; }
  double samples_a_second() const {
    const double passed = seconds();
    return passed > 0 ? examples_ / passed : 0;
  }
  std::string rate() const { return text(grouped(samples_a_second()), " samples/s"); }
  std::string short_rate() const {
    const double all = samples_a_second();
    if (all >= 999'500) return shown(all / 1e6, 3) + "M/s";
    return all >= 999.5 ? shown(all / 1e3, 3) + "k/s" : grouped(all) + "/s";
  }
  std::string total(const Logs& logs) const {
    return text(head_, numbers_of(logs), "  ", spoken(seconds()), ", ", rate());
  }
  const std::string& head() const { return head_; }

 private:
  std::string head_;
  double examples_ = 0, start_ = 0;
};

// Moves, with the loss, the metrics, samples per second and the time that is left; then the epoch's
// total stands in its place.
class Bar final : public Lines {
 public:
  void begin(int64_t epoch, int64_t epochs, int64_t steps, int64_t done) override {
    Lines::begin(epoch, epochs, steps, done);
    steps_ = steps;
    first_ = done_ = done;
    shown_ = 0;
    length_ = 0;
  }
  bool advance(int64_t count) override {
    Lines::advance(count);
    ++done_;
    const double time = now();
    if (time - shown_ < kPause) return false;
    shown_ = time;
    return true;
  }
  void show(const Logs& logs) override {
    const size_t most = room();
    std::string chosen;
    for (const std::string& picture : pictures(logs)) {
      chosen = picture;
      if (chosen.size() <= most) break;
    }
    write(chosen.substr(0, most), most);
  }
  // No number of an epoch is left out, even if the line is longer than the terminal: nothing is
  // drawn over it.
  void end(const Logs& logs) override {
    const size_t most = room();
    const std::string whole = total(logs);
    write(whole.size() <= most ? whole : text(head(), numbers_of(logs)), most);
    print("\n");
  }
  void leave(const std::string& reason) override { print(text('\n', reason, '\n')); }

 private:
  // What may be shown, from all to the least: shorter ones leave out what is missed least.
  std::vector<std::string> pictures(const Logs& logs) const {
    std::string place = text("batch ", done_), left;
    std::vector<std::string> bars;
    if (steps_ > 0) {
      place = text(done_, '/', steps_);
      const double each = seconds() / static_cast<double>(std::max(done_ - first_, int64_t{1}));
      left = text(spoken(each * static_cast<double>(steps_ - done_)), " left");
      for (const int64_t width : kBars) {
        const auto filled = static_cast<size_t>(std::min(width, width * done_ / steps_));
        const std::string rest(static_cast<size_t>(width) - filled, '.');
        bars.push_back(text('[', std::string(filled, '='), rest, "] "));
      }
    } else {
      bars.emplace_back();
    }
    const std::vector<std::string> numbers = each_of(logs);
    const auto line_of = [&](const std::string& start, const std::string& bar,
                             std::span<const std::string> told, const std::string& speed,
                             const std::string& rest) {
      std::vector<std::string> parts = {text(start, bar, place)};
      parts.insert(parts.end(), told.begin(), told.end());
      parts.push_back(joined(std::vector{speed, rest}, ", "));
      return joined(parts);
    };
    const auto line = [&](const std::string& bar, size_t count, const std::string& speed,
                          const std::string& rest) {
      return line_of(head(), bar, std::span(numbers).first(count), speed, rest);
    };
    const size_t all = numbers.size();
    std::vector<std::string> out;
    for (const std::string& bar : bars) out.push_back(line(bar, all, rate(), left));
    // Where there is little room: fewer digits, a short rate, no word for the epoch.
    const std::vector<std::string> short_numbers = each_of(logs, 3);
    for (const bool has_left : {true, false}) {
      out.push_back(
          line_of(head(), bars.back(), short_numbers, short_rate(), has_left ? left : ""));
    }
    const std::string bare = head().starts_with("epoch ") ? head().substr(6) : head();
    out.push_back(line_of(bare, bars.back(), short_numbers, short_rate(), ""));
    out.push_back(line(bars.back(), all, "", left));
    for (size_t count = all; count > 0; --count) out.push_back(line("", count, "", left));
    out.push_back(line("", std::min<size_t>(all, 1), "", ""));
    return out;
  }
  void write(const std::string& picture, size_t most) {
    const size_t before = std::min(length_, most);
    const size_t rest = before > picture.size() ? before - picture.size() : 0;
    print(text('\r', picture, std::string(rest, ' ')));
    length_ = picture.size();
  }

  int64_t steps_ = -1, first_ = 0, done_ = 0;
  double shown_ = 0;
  size_t length_ = 0;
};

}  // namespace

std::unique_ptr<Progress> progress_by(int verbose, std::string_view who) {
  if (verbose == kAuto) verbose = isatty(STDOUT_FILENO) != 0 ? 1 : 2;
  switch (verbose) {
    case 0: return std::make_unique<Progress>();
    case 1: return std::make_unique<Bar>();
    case 2: return std::make_unique<Lines>();
    default:
      fail(Code::kInvalid, who, "verbose", "verbose is ", verbose, "; it is 0, 1, 2 or kAuto");
  }
}

std::string spoken(double seconds) {
  char out[64];
  if (seconds < 60) {
    std::snprintf(out, sizeof out, seconds < 10 ? "%.1f s" : "%.0f s", seconds);
    return out;
  }
  const auto whole = static_cast<int64_t>(seconds + 0.5);
  const int64_t minutes = whole / 60;
  if (minutes < 60) return text(minutes, " min ", whole % 60, " s");
  return text(minutes / 60, " h ", minutes % 60, " min");
}

std::string grouped(double number) {
  char digits[64];
  std::snprintf(digits, sizeof digits, "%.0f", number);
  std::string out = digits;
  for (auto at = static_cast<int64_t>(out.size()) - 3; at > 0; at -= 3) {
    out.insert(static_cast<size_t>(at), ",");
  }
  return out;
}

}  // namespace weft::train
