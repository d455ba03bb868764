// gzip: files that are packed.
#pragma once

#include <string>
#include <string_view>

namespace weft::data {

inline constexpr std::string_view kGzipBegins = "\x1f\x8b";
bool is_gzip(std::string_view bytes);
// What was packed. It grows as it is unpacked, at most 1032 times the bytes given; raises
// [who.gzip].
std::string gunzipped(std::string_view bytes, std::string_view who, const std::string& path);

}  // namespace weft::data
