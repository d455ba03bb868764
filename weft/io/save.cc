// Which format a file has, by its path or its first bytes.
#include "weft/io/save.h"

#include <algorithm>
#include <set>

#include "weft/base/error.h"
#include "weft/base/file.h"
#include "weft/io/npy/npy.h"
#include "weft/io/npz/npz.h"
#include "weft/io/safetensors/safetensors.h"

namespace weft {
namespace {

enum class Format : uint8_t { kSafetensors, kNpy, kNpz };

Format format_by_path(std::string_view path) {
  if (path.ends_with(".npy")) return Format::kNpy;
  return path.ends_with(".npz") ? Format::kNpz : Format::kSafetensors;
}

Format format_by_content(const ByteSource& source) {
  std::string start(std::min<uint64_t>(source.size(), 6), '\0');
  source.read(0, std::as_writable_bytes(std::span(start)));
  if (start == "\x93NUMPY") return Format::kNpy;
  const bool is_zip = start.starts_with("PK\x03\x04") || start.starts_with("PK\x05\x06");
  return is_zip ? Format::kNpz : Format::kSafetensors;
}

void require_options(Format format, const io::NamedTensors& tensors, const SaveOptions& options,
                     const std::string& path) {
  if (format != Format::kSafetensors && !options.metadata.empty()) {
    fail(Code::kInvalid, "save", "metadata", "'", path,
         "' is a file of NumPy's, which has no place for metadata; save a safetensors file");
  }
  if (format != Format::kNpz && options.compressed) {
    fail(Code::kInvalid, "save", "compressed", "'", path,
         "' cannot be compressed; end the path in .npz");
  }
  if (format == Format::kNpy && tensors.size() != 1) {
    fail(Code::kInvalid, "save", "count", "'", path, "' holds one array, but there are ",
         tensors.size(), "; end the path in .npz or .safetensors");
  }
}

void require_all(const io::NamedTensors& found, std::span<const std::string> names,
                 const std::string& path) {
  std::set<std::string_view> present;
  for (const auto& [name, value] : found) present.insert(name);
  for (const std::string& name : names) {
    if (present.contains(name)) continue;
    fail(Code::kInvalid, "load", "names", "'", path, "' has no tensor named '", name,
         "'; load it without names to see those that it has");
  }
}

io::NamedTensors load_safetensors(const ByteSource& source, io::Names names) {
  const io::SafetensorsReader reader(source);
  if (!names) return reader.load_all();
  const std::set<std::string_view> wanted(names->begin(), names->end());
  io::NamedTensors out;
  for (const auto& entry : reader.entries()) {
    if (wanted.contains(entry.name)) out.push_back({entry.name, reader.load(entry)});
  }
  return out;
}

}  // namespace

void save_in_order(const std::string& path, const io::NamedTensors& tensors,
                   const SaveOptions& options) {
  const Format format = format_by_path(path);
  require_options(format, tensors, options, path);
  AtomicFile file(path, "save");
  switch (format) {
    case Format::kSafetensors: io::write_safetensors(file, tensors, options.metadata); break;
    case Format::kNpy: io::write_npy(file, tensors[0].value); break;
    case Format::kNpz: io::write_npz(file, tensors, options.compressed); break;
  }
  file.commit();
}

void save(const std::string& path, const TensorDict& tensors, const SaveOptions& options) {
  io::NamedTensors listed;
  for (const auto& [name, value] : tensors) listed.push_back({name, value});
  save_in_order(path, listed, options);
}

io::NamedTensors load_in_order(const std::string& path, io::Names names) {
  const InputFile file(path, "load");
  io::NamedTensors out;
  switch (format_by_content(file)) {
    case Format::kSafetensors: out = load_safetensors(file, names); break;
    case Format::kNpy:
      if (!names || !names->empty()) out = {{"", io::read_npy(file)}};
      break;
    case Format::kNpz: out = io::read_npz(file, names); break;
  }
  if (names) require_all(out, *names, path);
  return out;
}

TensorDict load(const std::string& path, io::Names names) {
  TensorDict out;
  for (io::NamedTensor& one : load_in_order(path, names)) {
    out.emplace(std::move(one.name), std::move(one.value));
  }
  return out;
}

io::Metadata load_metadata(const std::string& path) {
  const InputFile file(path, "load_metadata");
  if (format_by_content(file) != Format::kSafetensors) return {};
  return io::SafetensorsReader(file, "load_metadata").metadata();
}

}  // namespace weft
