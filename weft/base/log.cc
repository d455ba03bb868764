// The logger's level, and its one write per line.
#include "weft/base/log.h"

#include <unistd.h>

#include <cstdlib>
#include <optional>

namespace weft {
namespace {

constinit std::atomic<LogSink> current_sink{nullptr};

constexpr std::string_view kNames[] = {"unset", "debug", "info", "warning", "error", "off"};

std::optional<LogLevel> parse_level(std::string_view name) {
  for (int i = static_cast<int>(LogLevel::kDebug); i <= static_cast<int>(LogLevel::kOff); ++i) {
    if (name == kNames[i]) return static_cast<LogLevel>(i);
  }
  return std::nullopt;
}

// Reads WEFT_LOG once; a set_log_level that came before wins.
void set_up_level() {
  const char* wish = std::getenv("WEFT_LOG");
  const auto level = wish == nullptr ? LogLevel::kWarning : parse_level(wish);
  LogLevel expected = LogLevel::kUnset;
  const bool first =
      detail::log_threshold.compare_exchange_strong(expected, level.value_or(LogLevel::kWarning));
  if (first && !level) {
    log_warning("WEFT_LOG is '", wish, "'; it may be debug, info, warning, error or off");
  }
}

}  // namespace

namespace detail {

constinit std::atomic<LogLevel> log_threshold{LogLevel::kUnset};

bool is_logged_after_setup(LogLevel level) { return level >= log_level(); }

void write_log_line(LogLevel level, std::string_view message) {
  if (const LogSink sink = current_sink.load()) return sink(level, message);
  const std::string line = text("weft ", kNames[static_cast<int>(level)], ": ", message, "\n");
  // One call, so that lines of several threads do not mix; there is no one to tell if it fails.
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, line.data(), line.size());
}

}  // namespace detail

LogLevel log_level() {
  if (detail::log_threshold.load() == LogLevel::kUnset) set_up_level();
  return detail::log_threshold.load();
}

void set_log_level(LogLevel level) { detail::log_threshold.store(level); }

void set_log_sink(LogSink sink) { current_sink.store(sink); }

}  // namespace weft
