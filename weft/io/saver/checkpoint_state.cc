// Writes and reads the file `checkpoint`.
#include "weft/io/saver/checkpoint_state.h"

#include "weft/base/error.h"
#include "weft/base/text_cursor.h"

namespace weft::io {

std::string to_text(const CheckpointState& state) {
  std::string out = "model_checkpoint_path: ";
  append_quoted(out, state.latest);
  for (const std::string& path : state.all) {
    out += "\nall_model_checkpoint_paths: ";
    append_quoted(out, path);
  }
  return out + "\n";
}

CheckpointState parse_checkpoint_state(std::string_view text, const std::string& path) {
  CheckpointState out;
  TextCursor cursor(text, "latest_checkpoint");
  try {
    while (!cursor.done()) {
      const std::string_view field = cursor.word();
      cursor.expect(":");
      if (field == "model_checkpoint_path") {
        out.latest = cursor.quoted();
      } else if (field == "all_model_checkpoint_paths") {
        out.all.push_back(cursor.quoted());
      } else if (field == "all_model_checkpoint_timestamps" ||
                 field == "last_preserved_timestamp") {
        cursor.number<double>();
      } else {
        cursor.fail("expected a field of a checkpoint's state");
      }
    }
  } catch (const Error& error) {
    fail(Code::kIo, "latest_checkpoint", "file", "'", path, "' cannot be read: ", error.message,
         "; it is damaged, or not the file of a Saver");
  }
  if (out.latest.empty()) {
    fail(Code::kIo, "latest_checkpoint", "file", "'", path,
         "' names no model_checkpoint_path; it is damaged, or not the file of a Saver");
  }
  return out;
}

}  // namespace weft::io
