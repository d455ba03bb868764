// tfrecord: records with a length and two checksums.
#include "weft/data/crc32c.h"
#include "weft/data/records.h"

namespace weft::data {
namespace {

// Bytes of the file itself: it stays as long as they are in use.
Tensor borrowed(const FileReader& file, std::string_view bytes) {
  using Held = std::shared_ptr<const MappedFile>;
  const int64_t stride = 1;
  return Tensor::borrow(
      const_cast<char*>(bytes.data()), DType::kU8, Shape{static_cast<int64_t>(bytes.size())},
      std::span(&stride, 1), [](void* held) { delete static_cast<Held*>(held); },
      new Held(file.file()), true);
}

class TfRecord final : public RecordNode {
 public:
  explicit TfRecord(Paths paths) : RecordNode("tfrecord", std::move(paths)) {}

  bool read(FileReader& file, int64_t&, Element& out) const override {
    if (file.done()) return false;
    const int64_t offset = file.offset();
    const std::string_view head = file.take(sizeof(uint64_t));
    if (file.number<uint32_t>() != masked_crc32c(head)) {
      file.seek(file.size());  // nobody knows where the next record begins
      refuse(file, offset, "has a length whose checksum is wrong; the rest of the file is lost");
    }
    uint64_t length = 0;
    std::memcpy(&length, head.data(), sizeof length);
    const std::string_view bytes = file.take(length);
    if (file.number<uint32_t>() != masked_crc32c(bytes)) {
      refuse(file, offset, "has a record whose checksum is wrong");
    }
    out = Element(borrowed(file, bytes));
    out.origin = file.origin(offset);
    return true;
  }
  Spec spec() const override { return {leaf_form(), {{false, DType::kU8, {varying()}}}}; }

 private:
  [[noreturn]] static void refuse(const FileReader& file, int64_t offset, std::string_view wrong) {
    fail(Code::kIo, "tfrecord", "checksum", file.path(), ", offset ", offset, ", ", wrong);
  }
};

}  // namespace

Dataset tfrecord(Paths paths) { return Dataset(new_shared<const TfRecord>(std::move(paths))); }

}  // namespace weft::data
