// Unpacking by zlib.
#include "weft/data/gzip.h"

#include <zlib.h>

#include <memory>

#include "weft/base/error.h"
#include "weft/base/thread_pool.h"

namespace weft::data {

bool is_gzip(std::string_view bytes) { return bytes.starts_with(kGzipBegins); }

std::string gunzipped(std::string_view bytes, std::string_view who, const std::string& path) {
  constexpr int kGzip = 16 + MAX_WBITS;
  constexpr size_t kStep = 1 << 20, kMostIn = 1 << 30;
  z_stream stream{};
  if (inflateInit2(&stream, kGzip) != Z_OK) {
    fail(Code::kOutOfMemory, who, "gzip", "has no memory to unpack ", path);
  }
  const std::unique_ptr<z_stream, int (*)(z_stream*)> ends(&stream, inflateEnd);
  std::string out;
  int status = Z_OK;
  size_t given = 0;
  while (true) {
    poll_interrupt();
    if (stream.avail_in == 0 && given < bytes.size()) {
      const size_t some = std::min(kMostIn, bytes.size() - given);
      stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data() + given));
      stream.avail_in = static_cast<uInt>(some);
      given += some;
    }
    const size_t start = out.size();
    out.resize(start + kStep);
    stream.next_out = reinterpret_cast<Bytef*>(out.data() + start);
    stream.avail_out = kStep;
    status = inflate(&stream, Z_NO_FLUSH);
    out.resize(start + kStep - stream.avail_out);
    const bool is_stuck = out.size() == start && stream.avail_in == 0 && given == bytes.size();
    if (status == Z_STREAM_END) {  // files that were joined are read as one, as gzip does
      if (!is_gzip(bytes.substr(given - stream.avail_in))) break;
      status = inflateReset(&stream);
      continue;
    }
    if (status != Z_OK || is_stuck) {
      fail(Code::kIo, who, "gzip", path,
           " cannot be unpacked: ", stream.msg != nullptr ? stream.msg : "it ends too early");
    }
  }
  return out;
}

}  // namespace weft::data
