// tfrecord: records with a length and two checksums.
#include "weft/data/tfrecord.h"

#include "weft/data/records.h"

namespace weft::data {
namespace {

class TfRecord final : public RecordNode {
 public:
  explicit TfRecord(Paths paths) : RecordNode("tfrecord", std::move(paths)) {}

  bool read(FileReader& file, int64_t&, Element& out) const override {
    if (file.done()) return false;
    const int64_t offset = file.offset();
    const auto length = file.number<uint64_t>();
    if (file.number<uint32_t>() != masked_crc32c(std::as_bytes(std::span(&length, 1)))) {
      file.seek(file.size());  // nobody knows where the next record begins
      refuse(file, offset, "has a length whose checksum is wrong; the rest of the file is lost");
    }
    Tensor record = file.take_tensor(length);
    if (file.number<uint32_t>() !=
        masked_crc32c({static_cast<const std::byte*>(record.data()), length})) {
      refuse(file, offset, "has a record whose checksum is wrong");
    }
    out = Element(std::move(record));
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
