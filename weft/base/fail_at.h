// Errors that name the user's line.
#pragma once

#include "weft/base/error.h"
#include "weft/base/where.h"

namespace weft {

// Adds the note "called at file.cc:12", if the line is known and not the last note already.
inline Error& note_line(Error& error, Where where) {
  if (!where.known()) return error;
  const std::string line = text("called at ", to_string(where));
  if (error.notes.empty() || error.notes.back() != line) error.note(line);
  return error;
}

// As `fail`, with that note.
template <class... Pieces>
[[noreturn]] void fail_at(Where where, Code code, std::string_view op, std::string_view law,
                          const Pieces&... pieces) {
  Error error(code, std::string(op), std::string(law), text(pieces...));
  throw note_line(error, where);
}

}  // namespace weft
