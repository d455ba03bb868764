// Writes and reads the index of a checkpoint.
#include "weft/io/checkpoint/index.h"

#include <algorithm>
#include <cmath>

#include "weft/base/crc32c.h"
#include "weft/base/error.h"
#include "weft/io/checkpoint/state_json.h"

namespace weft::io {
namespace {

constexpr std::string_view kStart = "{\"crc32c\":\"", kAfter = "\",";
constexpr size_t kDigits = 8;
constexpr std::string_view kFormat = "weft checkpoint";

Json metrics_to_json(const MetricValues& metrics) {
  NamedTensors none;
  SavedState::Dict members;
  for (const auto& [name, value] : metrics) members.emplace_back(name, value);
  return state_to_json(SavedState::dict(std::move(members)), none, "CheckpointManager");
}

class NoTensors final : public TensorsByName {
 public:
  Tensor load(const std::string& name) override {
    fail(Code::kIo, "CheckpointManager", "index", "a metric is a tensor, '", name, "'");
  }
};

class IndexReader {
 public:
  explicit IndexReader(const std::string& path) : path_(path) {}

  CheckpointIndex read(std::string_view text) const {
    require_checksum(text);
    const Json json = parse_json(text, "CheckpointManager", path_);
    const auto* const format = member(json, "format").get_if<std::string>();
    const auto* const version = member(json, "version").get_if<int64_t>();
    if (format == nullptr || *format != kFormat || version == nullptr || *version != 1) {
      wrong("is not of version 1 of the format");
    }
    CheckpointIndex out;
    out.step = integer(json, "step");
    out.metrics = metrics(member(json, "metrics"));
    out.generator = {word(member(json, "generator"), "seed"),
                     word(member(json, "generator"), "draws")};
    for (const auto& [name, file] : object(member(json, "files"))) {
      const auto* const crc = member(file, "crc32c").get_if<std::string>();
      if (crc == nullptr) wrong("has a file without a checksum");
      out.files.push_back({name, word(file, "bytes"), *crc});
    }
    out.objects = object(member(json, "objects"));
    return out;
  }

 private:
  [[noreturn]] void wrong(std::string_view what) const {
    fail(Code::kIo, "CheckpointManager", "index", "'", path_, "' ", what);
  }

  void require_checksum(std::string_view text) const {
    const size_t head = kStart.size() + kDigits + kAfter.size();
    if (text.size() < head || !text.starts_with(kStart) ||
        text.substr(head - kAfter.size(), kAfter.size()) != kAfter) {
      wrong("does not begin with its checksum");
    }
    const std::string_view said = text.substr(kStart.size(), kDigits);
    const std::string found = crc_text(crc32c(bytes_in(text.substr(head))));
    if (said != found) {
      wrong(weft::text("has the checksum ", found, " where ", said, " was written"));
    }
  }

  const Json& member(const Json& json, std::string_view name) const {
    const Json* const found = json.find(name);
    if (found == nullptr) wrong(weft::text("has no '", name, "'"));
    return *found;
  }
  const JsonObject& object(const Json& json) const {
    const auto* const out = json.get_if<JsonObject>();
    if (out == nullptr) wrong("has something else where an object belongs");
    return *out;
  }
  int64_t integer(const Json& json, std::string_view name) const {
    const auto* const out = member(json, name).get_if<int64_t>();
    if (out == nullptr) wrong(weft::text("has no integer for '", name, "'"));
    return *out;
  }
  uint64_t word(const Json& json, std::string_view name) const {
    const Json& value = member(json, name);
    if (const auto* const large = value.get_if<uint64_t>()) return *large;
    return static_cast<uint64_t>(integer(json, name));
  }
  MetricValues metrics(const Json& json) const {
    NoTensors none;
    MetricValues out;
    const SavedState state = state_from_json(json, none, "CheckpointManager");
    for (const auto& [name, value] : state.members()) out.emplace(name, value.number());
    return out;
  }

  const std::string& path_;
};

}  // namespace

std::string index_text(const CheckpointIndex& index) {
  JsonObject files;
  for (const IndexedFile& file : index.files) {
    files.emplace_back(file.name, JsonObject{{"bytes", Json(static_cast<int64_t>(file.bytes))},
                                             {"crc32c", Json(file.crc32c)}});
  }
  const JsonObject members{{"format", Json(std::string(kFormat))},
                           {"version", Json(int64_t{1})},
                           {"step", Json(index.step)},
                           {"metrics", metrics_to_json(index.metrics)},
                           {"generator", JsonObject{{"seed", Json(index.generator.seed)},
                                                    {"draws", Json(index.generator.draws)}}},
                           {"files", Json(std::move(files))},
                           {"objects", Json(index.objects)}};
  const std::string rest = to_text(members).substr(1) + "\n";
  return text(kStart, crc_text(crc32c(bytes_in(rest))), kAfter, rest);
}

CheckpointIndex parse_index(std::string_view text, const std::string& path) {
  return IndexReader(path).read(text);
}

}  // namespace weft::io
