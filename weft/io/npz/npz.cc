// Arrays in a zip archive.
#include "weft/io/npz/npz.h"

#include <set>

#include "weft/base/error.h"
#include "weft/io/json/json.h"
#include "weft/io/npz/zip.h"

namespace weft::io {

void write_npz(ByteSink& to, const NamedTensors& tensors, bool is_compressed,
               std::string_view who) {
  require_writable(tensors, who);
  for (const auto& [name, value] : tensors) npy_header(value, name, who);  // raises first
  ZipWriter zip(to);
  for (const auto& [name, value] : tensors) {
    const std::string header = npy_header(value, name, who);
    const RowMajor elements(value);
    const std::span<const std::byte> pieces[] = {bytes_in(header), elements.bytes()};
    zip.add(name + ".npy", pieces, is_compressed);
  }
  zip.finish();
}

NamedTensors read_npz(const ByteSource& source, Names names, std::string_view who) {
  const ZipReader zip(source, who);
  NamedTensors out;
  std::set<std::string_view> wanted;
  if (names) wanted.insert(names->begin(), names->end());
  std::set<std::string> found;
  for (const ZipMember& member : zip.members()) {
    if (!member.name.ends_with(".npy") || !is_utf8(member.name)) {
      fail(Code::kIo, who, "npz", "'", source.name(), "' holds '",
           is_utf8(member.name) ? member.name : "a name that is not UTF-8",
           "', which is no array; an npz file holds files that end in .npy");
    }
    const std::string name = member.name.substr(0, member.name.size() - 4);
    if (names && !wanted.contains(name)) continue;
    if (!found.insert(name).second) {
      fail(Code::kIo, who, "npz", "'", source.name(), "' holds '", member.name,
           "' twice; every array has a name of its own");
    }
    out.push_back({name, read_npy(*zip.open(member), who)});
  }
  return out;
}

}  // namespace weft::io
