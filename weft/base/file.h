// Whole files: read, and written so that a reader sees the old content or the new, never a part.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace weft {

// The bytes of a file. Raises Error{kIo} that names the path and the reason.
std::string read_file(const std::string& path);

// The same, or nothing if it cannot be read.
std::optional<std::string> try_read_file(const std::string& path);

// Writes a temporary file beside `path`, makes it durable and renames it over `path`. On failure
// raises Error{kIo}, removes the temporary file and leaves what was at `path` untouched.
void write_file_atomically(const std::string& path, std::string_view bytes);

}  // namespace weft
