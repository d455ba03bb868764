// RecordNode: a source that reads files from front to back, record by record.
//
// Its state is the file, the offset and the number of the record; what was read is not read again.
#pragma once

#include "weft/data/file_reader.h"
#include "weft/data/sources.h"

namespace weft::data {

class RecordNode : public Node {
 public:
  RecordNode(std::string name, Paths paths, FileReader::Packed packed = FileReader::kPlain);

  std::unique_ptr<Cursor> cursor(const Context& cx) const override;
  std::string text() const override;
  const Paths& paths() const { return paths_; }
  FileReader::Packed packed() const { return packed_; }

  // Called when a file is opened, before its first record.
  virtual void begin(FileReader&) const {}
  // The next record, which begins on `line`; false at the end of the file. One that raises has
  // passed over what it could not read.
  virtual bool read(FileReader& file, int64_t& line, Element& out) const = 0;

 private:
  const Paths paths_;
  const FileReader::Packed packed_;
};

}  // namespace weft::data
