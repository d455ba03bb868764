// Reads safetensors; every claim of the header is checked against the file's size first.
#include <algorithm>

#include "weft/base/error.h"
#include "weft/io/json/json.h"
#include "weft/io/safetensors/dtypes.h"
#include "weft/io/safetensors/safetensors.h"

namespace weft::io {
namespace {

constexpr uint64_t kMostHeader = 100'000'000;  // as the format says

// A size or offset; nothing if it is none.
std::optional<int64_t> size_in(const Json& json) {
  const auto* const value = json.get_if<int64_t>();
  return value != nullptr && *value >= 0 ? std::optional(*value) : std::nullopt;
}

std::optional<std::vector<int64_t>> sizes_in(const Json* json) {
  const auto* const items = json == nullptr ? nullptr : json->get_if<JsonArray>();
  if (items == nullptr) return std::nullopt;
  std::vector<int64_t> out;
  for (const Json& item : *items) {
    const std::optional<int64_t> size = size_in(item);
    if (!size) return std::nullopt;
    out.push_back(*size);
  }
  return out;
}

}  // namespace

void SafetensorsReader::wrong(std::string_view what) const {
  fail(Code::kIo, who_, "safetensors", "'", source_.name(), "' ", what,
       "; it is damaged, or no safetensors file");
}

SafetensorsReader::SafetensorsReader(const ByteSource& source, std::string_view who)
    : source_(source), who_(who) {
  uint64_t length = 0;
  if (source.size() < sizeof length) {
    wrong(text("has ", source.size(), " bytes, but the length of the header takes 8"));
  }
  source.read(0, std::as_writable_bytes(std::span(&length, 1)));
  if (length > source.size() - sizeof length || length > kMostHeader) {
    wrong(text("says that its header has ", length, " bytes, but the file has ", source.size()));
  }
  std::string header(length, '\0');
  source.read(sizeof length, std::as_writable_bytes(std::span(header)));
  read_header(header);
  require_no_gaps(sizeof length + length);
}

void SafetensorsReader::read_header(std::string_view header) {
  const Json json = parse_json(header, who_, source_.name());
  const auto* const members = json.get_if<JsonObject>();
  if (members == nullptr) wrong("has a header that is no JSON object");
  const uint64_t begin = sizeof(uint64_t) + header.size(), room = source_.size() - begin;
  for (const auto& [name, value] : *members) {
    if (name == "__metadata__") {
      const auto* const texts = value.get_if<JsonObject>();
      if (texts == nullptr) wrong("has metadata that are no JSON object");
      for (const auto& [key, item] : *texts) {
        const auto* const content = item.get_if<std::string>();
        if (content == nullptr) wrong(text("has metadata '", key, "' that are no text"));
        metadata_.emplace(key, *content);
      }
      continue;
    }
    const Json* const dtype = value.find("dtype");
    const auto sizes = sizes_in(value.find("shape")),
               offsets = sizes_in(value.find("data_offsets"));
    if (dtype == nullptr || dtype->get_if<std::string>() == nullptr || !sizes || !offsets ||
        offsets->size() != 2 || (*offsets)[0] > (*offsets)[1]) {
      wrong(text("lacks the dtype, the shape or the data_offsets of '", name, "'"));
    }
    const auto from = static_cast<uint64_t>((*offsets)[0]),
               to = static_cast<uint64_t>((*offsets)[1]);
    if (to > room) {
      wrong(text("says that '", name, "' ends at byte ", to, " of the data, but there are ", room));
    }
    Entry entry{name, *dtype->get_if<std::string>(), *sizes, begin + from, to - from};
    const std::optional<DType> ours = dtype_named(entry.dtype);
    if (ours && byte_count(*ours, entry.sizes) != entry.bytes) {
      wrong(text("has ", entry.bytes, " bytes for '", name, "', which is ", entry.dtype,
                 entry.sizes));
    }
    entries_.push_back(std::move(entry));
  }
}

void SafetensorsReader::require_no_gaps(uint64_t begin) const {
  std::vector<const Entry*> order;
  for (const Entry& entry : entries_) order.push_back(&entry);
  std::sort(order.begin(), order.end(), [](const Entry* a, const Entry* b) {
    return a->at != b->at ? a->at < b->at : a->bytes < b->bytes;
  });
  uint64_t at = begin;
  for (const Entry* const entry : order) {
    if (entry->at != at) {
      wrong(text("has '", entry->name, "' at byte ", entry->at, " where ", at, " is next"));
    }
    at += entry->bytes;
  }
  if (at != source_.size()) {
    wrong(text("has ", source_.size(), " bytes, but its header accounts for ", at));
  }
}

const SafetensorsReader::Entry* SafetensorsReader::find(std::string_view name) const {
  for (const Entry& entry : entries_) {
    if (entry.name == name) return &entry;
  }
  return nullptr;
}

Tensor SafetensorsReader::load(const Entry& entry) const {
  const std::optional<DType> dtype = dtype_named(entry.dtype);
  if (!dtype) {
    fail(Code::kType, who_, "dtype", "'", entry.name, "' in '", source_.name(), "' is ",
         entry.dtype, ", which Weft has no dtype for; load the others by their names");
  }
  return read_tensor(source_, entry.at, *dtype, shape_of(entry.sizes));
}

NamedTensors SafetensorsReader::load_all() const {
  NamedTensors out;
  for (const Entry& entry : entries_) out.push_back({entry.name, load(entry)});
  return out;
}

}  // namespace weft::io
