// Saver: saves the Variables of a graph and restores them, by nodes of the graph.
//
//   const Saver saver(graph);                            // while the graph is complete
//   const std::string path = saver.save(session, "run/model", 100);    // "run/model-100"
//   saver.restore(session, path);
//   latest_checkpoint("run");                            // "run/model-100"
#pragma once

#include <memory>

#include "weft/runtime/session.h"

namespace weft {

struct SaverOptions {
  std::optional<int64_t> max_to_keep = 5;  // older files are removed; nothing: none are
};

// A file is in the safetensors format; the file `checkpoint` beside it names the last one, as
// TensorFlow's does.
class Saver {
 public:
  // Those variables, by their own names; of none all that the graph has now. Raises [Saver.names]
  // for names that are missing or come twice.
  explicit Saver(const Graph& graph, std::vector<Variable> variables = {},
                 SaverOptions options = {}, Where where = Where::here());
  // Under names of the caller's.
  Saver(const Graph& graph, std::vector<std::pair<std::string, Variable>> variables,
        SaverOptions options = {}, Where where = Where::here());

  // Writes `path`, or `path-100` with a step, in one step, and gives that path. Of files that this
  // Saver wrote, those beyond max_to_keep are removed.
  std::string save(const Session& session, const std::string& path,
                   std::optional<int64_t> global_step = {}) const;
  // Reads all values, and only then assigns them. Raises [Saver.missing] and [Saver.type] for what
  // the file lacks or has otherwise.
  void restore(const Session& session, const std::string& path) const;

  Operation save_operation() const { return save_; }        // "save/SaveTensors"
  Operation restore_operation() const { return restore_; }  // "save/restore_all"
  const Tensor& path() const { return path_; }              // "save/path": its bytes are fed
  const std::vector<std::string>& last_checkpoints() const { return *written_; }

 private:
  const Graph graph_;
  const SaverOptions options_;
  Tensor path_;
  Operation save_, restore_;
  std::shared_ptr<std::vector<std::string>> written_;  // oldest first
};

// The path that a Saver wrote last in the folder; nothing if none did. Raises Error{kIo}
// [latest_checkpoint.file] if the file `checkpoint` reads otherwise.
std::optional<std::string> latest_checkpoint(const std::string& folder);

}  // namespace weft
