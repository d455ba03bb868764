// A quiet logger: warnings and errors to stderr unless WEFT_LOG=debug|info|warning|error|off says
// otherwise.
#pragma once

#include <atomic>
#include <cstdint>
#include <string_view>

#include "weft/base/text.h"

namespace weft {

enum class LogLevel : uint8_t { kUnset, kDebug, kInfo, kWarning, kError, kOff };

namespace detail {
extern std::atomic<LogLevel> log_threshold;  // kUnset until WEFT_LOG has been read
bool is_logged_after_setup(LogLevel level);
void write_log_line(LogLevel level, std::string_view message);
}  // namespace detail

// The least level that is written; set_log_level wins over WEFT_LOG.
LogLevel log_level();
void set_log_level(LogLevel level);

// Where lines go instead of stderr, for tests and for Python's logging; null restores stderr.
using LogSink = void (*)(LogLevel level, std::string_view message);
void set_log_sink(LogSink sink);

// One relaxed load when the level is off.
inline bool is_logged(LogLevel level) {
  const LogLevel threshold = detail::log_threshold.load(std::memory_order_relaxed);
  if (threshold == LogLevel::kUnset) [[unlikely]]
    return detail::is_logged_after_setup(level);
  return level >= threshold;
}

// The pieces are joined as by text(...), only if they are written: log_info("read ", n, " bytes").
template <class... Pieces>
void log_debug(const Pieces&... pieces) {
  if (is_logged(LogLevel::kDebug)) detail::write_log_line(LogLevel::kDebug, text(pieces...));
}
template <class... Pieces>
void log_info(const Pieces&... pieces) {
  if (is_logged(LogLevel::kInfo)) detail::write_log_line(LogLevel::kInfo, text(pieces...));
}
template <class... Pieces>
void log_warning(const Pieces&... pieces) {
  if (is_logged(LogLevel::kWarning)) detail::write_log_line(LogLevel::kWarning, text(pieces...));
}
template <class... Pieces>
void log_error(const Pieces&... pieces) {
  if (is_logged(LogLevel::kError)) detail::write_log_line(LogLevel::kError, text(pieces...));
}

}  // namespace weft
