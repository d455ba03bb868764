// text_lines: the lines of text files.
#include "weft/data/records.h"

namespace weft::data {
namespace {

class TextLines final : public RecordNode {
 public:
  explicit TextLines(Paths paths)
      : RecordNode("text_lines", std::move(paths), FileReader::kMayBePacked) {}

  bool read(FileReader& file, int64_t& line, Element& out) const override {
    if (file.done()) return false;
    const int64_t offset = file.offset();
    std::string_view one = file.take_line();
    if (one.ends_with('\r')) one.remove_suffix(1);
    out = Element(std::string(one));
    out.origin = file.origin(offset, line++);
    return true;
  }
  Spec spec() const override { return {leaf_form(), {{true, DType::kU8, {}}}}; }
};

}  // namespace

Dataset text_lines(Paths paths) { return Dataset(new_shared<const TextLines>(std::move(paths))); }

}  // namespace weft::data
