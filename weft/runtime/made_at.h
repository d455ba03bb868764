// Errors about a value of a graph: beside the line of the run they name the one that made it.
#pragma once

#include "weft/base/error.h"
#include "weft/base/where.h"

namespace weft {

// Adds the note "x was made at file.cc:12", if the line is known.
inline Error& note_made(Error& error, std::string_view what, Where where) {
  if (where.known()) error.note(text(what, " was made at ", to_string(where)));
  return error;
}

// As `fail`, with that note.
template <class... Pieces>
[[noreturn]] void fail_made(std::string_view what, Where where, Code code, std::string_view op,
                            std::string_view law, const Pieces&... pieces) {
  Error error(code, std::string(op), std::string(law), text(pieces...));
  throw note_made(error, what, where);
}

}  // namespace weft
