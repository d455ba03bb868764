// Sources in memory and parts of others.
#include "weft/base/bytes.h"

#include <cstring>

#include "weft/base/error.h"

namespace weft {
namespace {

void require_inside(const ByteSource& source, uint64_t at, uint64_t count) {
  if (at <= source.size() && count <= source.size() - at) return;
  fail(Code::kIo, "read", "", "'", source.name(), "' has ", source.size(), " bytes, but ", count,
       " were to be read at ", at, "; it is cut off or damaged");
}

}  // namespace

void MemorySource::read(uint64_t at, std::span<std::byte> to) const {
  require_inside(*this, at, to.size());
  if (!to.empty()) std::memcpy(to.data(), bytes_.data() + at, to.size());
}

void PartOfSource::read(uint64_t at, std::span<std::byte> to) const {
  require_inside(*this, at, to.size());
  whole_.read(at_ + at, to);
}

}  // namespace weft
