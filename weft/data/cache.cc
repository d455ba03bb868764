// cache: keeps the elements of the first whole pass, in memory or in a file.
//
// The file is a magic word, the elements (length, CRC-32C, bytes), and their count at the end; it
// is written beside its place and renamed when it is whole.
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "weft/base/crc32c.h"
#include "weft/base/mutex.h"
#include "weft/data/dataset.h"
#include "weft/data/file_reader.h"

namespace weft::data {
namespace {

constexpr std::string_view kMagic = "weft elements 1\n";
constexpr uint64_t kEnd = UINT64_MAX;  // in the place of a length

// What passes share: the elements, once one pass has seen all of them.
struct Store {
  Mutex mutex;
  std::shared_ptr<const std::vector<Element>> elements;
};

class Cache final : public Node {
 public:
  Cache(Ptr input, std::string path) : Node("cache", {std::move(input)}), path(std::move(path)) {}

  std::unique_ptr<Cursor> cursor(const Context& cx) const override;
  int64_t cardinality() const override { return input().cardinality(); }
  Spec spec() const override { return input().spec(); }
  std::string text() const override {
    return path.empty() ? "cache()" : weft::text("cache(", path, ")");
  }

  const std::string path;
  mutable Store store;
};

// A pass in memory: of the input the first time, of the elements it left afterwards.
class MemoryCursor final : public Cursor {
 public:
  MemoryCursor(const Cache& node, const Context& cx)
      : Cursor(node, cx), node_(node), held_(cx.run), input_(node.input().cursor(cx)) {
    const std::lock_guard lock(node.store.mutex);
    kept_ = node.store.elements;
  }

  // A pass that goes on in another process finds no elements before its place: it keeps none. One
  // that read from memory reads its input again for them.
  void save(StateWriter to) const override {
    to.put("position", position_);
    to.put("reads_memory", static_cast<int64_t>(kept_ != nullptr));
    if (kept_ == nullptr) input_->save(to.at(node_.input().name()));
  }
  void restore(StateReader from) override {
    const int64_t position = from.position("position");
    const bool reads_memory = from.integer("reads_memory") != 0;
    if (!reads_memory) {
      kept_ = nullptr;
      keeps_ = false;
      position_ = position;
      input_->restore(from.at(node_.input().name()));
      return;
    }
    Element element;
    while (kept_ == nullptr && advance(element)) {
    }
    position_ = position;
  }

 protected:
  bool advance(Element& out) override {
    if (kept_ != nullptr) {
      if (position_ >= static_cast<int64_t>(kept_->size())) return false;
      out = (*kept_)[static_cast<size_t>(position_++)];
      return true;
    }
    if (!input_->next(out)) {
      if (keeps_) publish();
      return false;
    }
    if (keeps_) {
      held_.add_or_fail(out.bytes(), "cache");
      elements_.push_back(out);
    }
    ++position_;
    return true;
  }

 private:
  void publish() {
    keeps_ = false;
    kept_ = std::make_shared<const std::vector<Element>>(std::move(elements_));
    const std::lock_guard lock(node_.store.mutex);
    if (node_.store.elements == nullptr) node_.store.elements = kept_;
  }

  const Cache& node_;
  Held held_;
  std::unique_ptr<Cursor> input_;
  std::shared_ptr<const std::vector<Element>> kept_;
  std::vector<Element> elements_;
  int64_t position_ = 0;
  bool keeps_ = true;
};

// Writes the elements of a pass, and gives them their place when it is whole.
class Writer {
 public:
  explicit Writer(const std::string& path) : path_(path), temporary_(path + ".tmp") {
    file_ = std::fopen(temporary_.c_str(), "wb");
    if (file_ == nullptr) fail_write();
    write(kMagic);
  }
  ~Writer() {
    if (file_ == nullptr) return;
    std::fclose(file_);
    std::error_code ignored;
    std::filesystem::remove(temporary_, ignored);
  }
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;

  void add(const Element& element) {
    const std::string bytes = element_bytes(element);
    number(bytes.size());
    number(crc32c(bytes_in(bytes)));
    write(bytes);
    ++count_;
  }
  void finish() {
    number(kEnd);
    number(count_);
    const int status = std::fclose(std::exchange(file_, nullptr));
    std::error_code error;
    if (status == 0) std::filesystem::rename(temporary_, path_, error);
    if (status != 0 || error) fail_write();
  }

 private:
  void number(uint64_t value) { write({reinterpret_cast<const char*>(&value), sizeof value}); }
  void write(std::string_view bytes) {
    if (std::fwrite(bytes.data(), 1, bytes.size(), file_) != bytes.size()) fail_write();
  }
  [[noreturn]] void fail_write() const {
    fail(Code::kIo, "cache", "write", "cannot write ", path_, ": ", std::strerror(errno));
  }

  const std::string path_, temporary_;
  std::FILE* file_ = nullptr;
  uint64_t count_ = 0;
};

class FileCursor final : public Cursor {
 public:
  FileCursor(const Cache& node, const Context& cx)
      : Cursor(node, cx), node_(node), input_(node.input().cursor(cx)) {
    std::error_code ignored;  // what cannot be looked at cannot be written either, and that raises
    if (std::filesystem::exists(node.path, ignored)) open(static_cast<int64_t>(kMagic.size()));
  }

  void save(StateWriter to) const override {
    to.put("offset", file_ == nullptr ? int64_t{-1} : file_->offset());
    to.put("position", position_);
    if (file_ == nullptr) input_->save(to.at(node_.input().name()));
  }
  void restore(StateReader from) override {
    const int64_t offset = from.integer("offset");
    position_ = from.position("position");
    if (offset >= 0) {
      if (file_ == nullptr) from.fail_state("offset", "needs the file of the cache, which is gone");
      open(offset);
      return;
    }
    file_ = nullptr;
    writes_ = false;  // the elements before are not at hand
    input_->restore(from.at(node_.input().name()));
  }

 protected:
  bool advance(Element& out) override {
    if (file_ != nullptr) return read(out);
    if (writes_ && writer_ == nullptr) writer_ = std::make_unique<Writer>(node_.path);
    if (!input_->next(out)) {
      if (writer_ != nullptr) writer_->finish();
      writer_ = nullptr;
      writes_ = false;
      return false;
    }
    if (writer_ != nullptr) writer_->add(out);
    ++position_;
    return true;
  }

 private:
  void open(int64_t offset) {
    file_ = std::make_unique<FileReader>(node_.path, "cache");
    if (file_->take(kMagic.size()) != kMagic) {
      file_->fail_file("file", "is no file of elements; remove it and it is written again");
    }
    file_->seek(offset);
  }
  bool read(Element& out) {
    if (has_ended_) return false;
    const auto size = file_->number<uint64_t>(), check = file_->number<uint64_t>();
    if (size == kEnd) {
      has_ended_ = true;
      return false;
    }
    const std::string_view bytes = file_->take(size);
    if (crc32c(bytes_in(bytes)) != check)
      file_->fail_file("checksum", "has an element whose checksum is wrong");
    out = element_of(bytes, "cache");
    ++position_;
    return true;
  }

  const Cache& node_;
  std::unique_ptr<Cursor> input_;
  std::unique_ptr<FileReader> file_;  // of a pass that reads
  std::unique_ptr<Writer> writer_;
  int64_t position_ = 0;
  bool writes_ = true, has_ended_ = false;
};

std::unique_ptr<Cursor> Cache::cursor(const Context& cx) const {
  if (path.empty()) return std::make_unique<MemoryCursor>(*this, cx);
  return std::make_unique<FileCursor>(*this, cx);
}

}  // namespace

Dataset Dataset::cache(std::string path) const {
  return Dataset(new_shared<const Cache>(node_, std::move(path)));
}

}  // namespace weft::data
