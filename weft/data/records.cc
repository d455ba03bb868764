// Files read record by record.
#include "weft/data/records.h"

#include "weft/base/thread_pool.h"

namespace weft::data {
namespace {

class RecordCursor final : public Cursor {
 public:
  RecordCursor(const RecordNode& node, const Context& cx) : Cursor(node, cx), node_(node) {}

  void save(StateWriter to) const override {
    to.put("file", static_cast<int64_t>(file_number_));
    to.put("offset", file_ == nullptr ? int64_t{-1} : file_->offset());
    to.put("line", line_);
  }
  void restore(StateReader from) override {
    file_number_ = static_cast<size_t>(from.position("file"));
    if (file_number_ > node_.paths().size()) from.fail_state("file", "is beyond the last file");
    const int64_t offset = from.integer("offset");
    if (offset < 0 || file_number_ == node_.paths().size()) return;
    open();
    file_->seek(offset);
    line_ = from.position("line");
  }

 protected:
  bool advance(Element& out) override {
    while (file_number_ < node_.paths().size()) {
      poll_interrupt();
      if (file_ == nullptr) open_or_pass();
      if (node_.read(*file_, line_, out)) return true;
      file_ = nullptr;
      ++file_number_;
    }
    return false;
  }

 private:
  void open() {
    file_ = std::make_unique<FileReader>(node_.paths()[file_number_], node_.name(), node_.packed());
    line_ = 1;
  }
  // A file that cannot be opened is passed over by who goes on after the error.
  void open_or_pass() {
    try {
      open();
      node_.begin(*file_);
    } catch (const Error& error) {
      file_ = nullptr;
      if (error.code != Code::kInterrupted) ++file_number_;
      throw;
    }
  }

  const RecordNode& node_;
  size_t file_number_ = 0;
  std::unique_ptr<FileReader> file_;
  int64_t line_ = 1;
};

}  // namespace

RecordNode::RecordNode(std::string name, Paths paths, FileReader::Packed packed)
    : Node(std::move(name)), paths_(std::move(paths)), packed_(packed) {
  if (paths_.empty()) fail(Code::kInvalid, this->name(), "paths", "needs at least one path");
}

std::unique_ptr<Cursor> RecordNode::cursor(const Context& cx) const {
  return std::make_unique<RecordCursor>(*this, cx);
}

std::string RecordNode::text() const {
  if (paths_.size() == 1) return weft::text(name(), "(", paths_[0], ")");
  return weft::text(name(), "(", paths_.size(), " files, ", paths_[0], ", ...)");
}

}  // namespace weft::data
