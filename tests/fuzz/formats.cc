// Samples and readers of safetensors, npy, npz, and of what checkpoints say of themselves.
#include "tests/fuzz/formats.h"

#include <cmath>
#include <cstring>

#include "weft/base/crc32c.h"
#include "weft/io/checkpoint/index.h"
#include "weft/io/checkpoint/state_json.h"
#include "weft/io/npy/npy.h"
#include "weft/io/npz/npz.h"
#include "weft/io/safetensors/safetensors.h"
#include "weft/io/saver/checkpoint_state.h"
#include "weft/weft.h"

namespace weft::fuzz {
namespace {

io::NamedTensors some_tensors() {
  return {{"w", ones({2, 3})},
          {"layer.b", cast(arange(0, 5, 1), DType::kF16)},
          {"flags", cast(arange(0, 3, 1), DType::kBool)},
          {"empty", zeros({0, 4})},
          {"n", Tensor::scalar(DType::kI64, 7)}};
}

std::vector<std::string> safetensors_samples() {
  StringSink plain, with_texts;
  io::write_safetensors(plain, some_tensors(), {});
  io::write_safetensors(with_texts, {{"x", ones({1})}}, {{"epoch", "3"}, {"é\n", "\"\\"}});
  return {plain.text(), with_texts.text()};
}
void read_safetensors(std::span<const std::byte> bytes) {
  const MemorySource source(bytes, "file");
  io::SafetensorsReader(source).load_all();
}
// The header ends behind its last brace.
void repair_safetensors(std::string& bytes) {
  const size_t end = bytes.rfind('}');
  if (end == std::string::npos || end < 8) return;
  const uint64_t length = end + 1 - 8;
  std::memcpy(bytes.data(), &length, sizeof length);
}

std::vector<std::string> npy_samples() {
  std::vector<std::string> out;
  for (const auto& [name, value] : some_tensors()) {
    StringSink sink;
    io::write_npy(sink, value);
    out.push_back(sink.take());
  }
  std::string turned = out[0];
  turned.replace(turned.find("False"), 5, "True ");
  turned.replace(turned.find("<f4"), 3, ">f4");
  out.push_back(turned);
  return out;
}
void read_one_npy(std::span<const std::byte> bytes) { io::read_npy(MemorySource(bytes, "file")); }

std::vector<std::string> npz_samples() {
  std::vector<std::string> out;
  for (const bool compressed : {false, true}) {
    StringSink sink;
    io::write_npz(sink, some_tensors(), compressed);
    out.push_back(sink.take());
  }
  return out;
}
void read_one_npz(std::span<const std::byte> bytes) { io::read_npz(MemorySource(bytes, "file")); }

// Any name has a tensor.
class AnyTensor final : public io::TensorsByName {
 public:
  Tensor load(const std::string&) override { return ones({2, 2}, DType::kF64); }
};

std::vector<std::string> index_samples() {
  const SavedState state =
      SavedState::dict({{"w", ones({2})},
                        {"lr", 0.1},
                        {"nan", NAN},
                        {"list", SavedState::list({1, "x", SavedState(), true})},
                        {"tuple", SavedState(SavedState::Tagged{"tuple", {SavedState::list({2})}})},
                        {"c", cast(ones({2}), DType::kC128)}});
  io::NamedTensors tensors;
  const io::CheckpointIndex index{7,
                                  {{"loss", 0.5}, {"inf", INFINITY}},
                                  {UINT64_MAX, 2},
                                  {{"model.safetensors", 100, "01234567"}},
                                  {{"model", io::state_to_json(state, tensors, "fuzz")}}};
  return {io::index_text(index)};
}
void read_index(std::span<const std::byte> bytes) {
  const io::CheckpointIndex index = io::parse_index(text_in(bytes), "file");
  AnyTensor tensors;
  for (const auto& [name, state] : index.objects) io::state_from_json(state, tensors, "fuzz");
}
void repair_index(std::string& bytes) {
  constexpr size_t kHead = 21, kDigits = 11;
  if (bytes.size() < kHead) return;
  bytes.replace(0, kHead, "{\"crc32c\":\"00000000\",");
  bytes.replace(kDigits, 8, crc_text(crc32c(bytes_in(std::string_view(bytes).substr(kHead)))));
}

std::vector<std::string> state_samples() {
  return {io::to_text(io::CheckpointState{"model-2", {"model-1", "model-2"}})};
}
void read_state(std::span<const std::byte> bytes) {
  io::parse_checkpoint_state(text_in(bytes), "file");
}

constexpr Format kFormats[] = {
    {"safetensors", safetensors_samples, read_safetensors, repair_safetensors, 400},
    {"npy", npy_samples, read_one_npy, nullptr, 20},
    {"npz", npz_samples, read_one_npz, nullptr, 2200},  // deflating packs the 1032 fold
    {"index", index_samples, read_index, repair_index, 400},
    {"checkpoint", state_samples, read_state, nullptr, 400},
};

}  // namespace

std::span<const Format> tensor_formats() { return kFormats; }

const Format* find_format(std::string_view name) {
  for (const std::span<const Format> some : {tensor_formats(), data_formats()}) {
    for (const Format& format : some) {
      if (format.name == name) return &format;
    }
  }
  return nullptr;
}

}  // namespace weft::fuzz
