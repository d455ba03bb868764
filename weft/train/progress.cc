// The bar and the lines of fit.
#include "weft/train/progress.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>

#include "weft/base/error.h"
#include "weft/train/model.h"

namespace weft::train {
namespace {

constexpr int64_t kWidth = 24;
constexpr double kPause = 0.1;  // seconds between two pictures of the bar

double now() {
  const auto time = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double>(time).count();
}

std::string numbers_of(const Logs& logs) {
  std::string out;
  for (const auto& [name, value] : logs) {
    out += text(out.empty() ? "" : "  ", name, ' ', shown(value));
  }
  return out;
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

 protected:
  double seconds() const { return now() - start_; }
  std::string rate() const {
    const double passed = seconds();
    return text(grouped(passed > 0 ? examples_ / passed : 0), " samples/s");
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
  void show(const Logs& logs) override { write(picture(logs)); }
  void end(const Logs& logs) override {
    write(total(logs));
    print("\n");
  }
  void leave(const std::string& reason) override { print(text('\n', reason, '\n')); }

 private:
  std::string picture(const Logs& logs) const {
    if (steps_ <= 0) return text(head(), "batch ", done_, "  ", numbers_of(logs), "  ", rate());
    const auto filled = static_cast<size_t>(std::min(kWidth, kWidth * done_ / steps_));
    const double each = seconds() / static_cast<double>(std::max(done_ - first_, int64_t{1}));
    const double left = each * static_cast<double>(steps_ - done_);
    const std::string bar = std::string(filled, '=') + std::string(kWidth - filled, '.');
    return text(head(), '[', bar, "] ", done_, '/', steps_, "  ", numbers_of(logs), "  ", rate(),
                ", ", spoken(left), " left");
  }
  void write(const std::string& picture) {
    const size_t rest = length_ > picture.size() ? length_ - picture.size() : 0;
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
