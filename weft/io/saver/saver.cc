// The nodes of a Saver, and the files it keeps.
#include "weft/io/saver/saver.h"

#include <algorithm>
#include <set>

#include "weft/base/error.h"
#include "weft/base/file.h"
#include "weft/base/folder.h"
#include "weft/io/safetensors/safetensors.h"
#include "weft/io/saver/checkpoint_state.h"
#include "weft/state/saving.h"

namespace weft {
namespace {

using Named = std::vector<std::pair<std::string, Variable>>;

Named by_their_names(const Graph& graph, std::vector<Variable> variables) {
  Named out;
  if (variables.empty()) variables = graph.global_variables();
  for (const Variable& one : variables) out.emplace_back(one.name(), one);
  return out;
}

SavedValues values_of(const Named& variables) {
  SavedValues out;
  std::set<std::string_view> seen;
  for (const auto& [name, variable] : variables) {
    if (name.empty()) {
      fail(Code::kInvalid, "Saver", "names", "variable ", out.size(),
           " has no name, by which a file would know it; give it one: Variable(x, name)");
    }
    if (!seen.insert(name).second) {
      fail(Code::kInvalid, "Saver", "names", "two variables have the name '", name,
           "'; give them names of their own, or save them by names");
    }
    out.push_back({name, {variable.dtype(), variable.shape()}});
  }
  if (out.empty()) {
    fail(Code::kInvalid, "Saver", "variables", "there are no variables to save; make the Saver ",
         "when the graph has them");
  }
  return out;
}

// Names of nodes within begin with "save/", after those around.
class SaveScope {
 public:
  explicit SaveScope(Staging& staging) : staging_(staging), outer_(staging.scope) {
    staging.scope = outer_ + "save/";
    if (innermost_staging() != &staging) scope_.emplace(staging);
  }
  ~SaveScope() { staging_.scope = outer_; }
  SaveScope(const SaveScope&) = delete;
  SaveScope& operator=(const SaveScope&) = delete;

 private:
  Staging& staging_;
  const std::string outer_;
  std::optional<StagingScope> scope_;
};

ir::NodeId add_node(Staging& staging, const OpDef& op, ir::ValueIds inputs,
                    const SavedValues& values, const Types& out, std::string_view name,
                    Where where) {
  const SavedValuesAttrs attrs{print_saved_values(values)};
  return staging.append_node(op, inputs, ir::keep(*op.attrs, &attrs), out,
                             {.name = text(staging.scope, name), .where = where});
}

constexpr std::string_view kStateFile = "/checkpoint", kTemporary = ".weft-saver-";

std::string beside(const std::string& path, const std::string& folder) {
  return folder_of(path) == folder ? path.substr(path.rfind('/') + 1) : path;
}

}  // namespace

Saver::Saver(const Graph& graph, std::vector<Variable> variables, SaverOptions options, Where where)
    : Saver(graph, by_their_names(graph, std::move(variables)), options, where) {}

Saver::Saver(const Graph& graph, Named variables, SaverOptions options, Where where)
    : graph_(graph), options_(options), written_(std::make_shared<std::vector<std::string>>()) {
  if (options_.max_to_keep && *options_.max_to_keep < 1) {
    fail(Code::kInvalid, "Saver", "max_to_keep", "max_to_keep is ", *options_.max_to_keep,
         "; it is 1 or more, or none to keep all");
  }
  const SavedValues values = values_of(variables);
  Staging& staging = graph_.staging();
  const SaveScope scope(staging);
  path_ = graph_.placeholder(DType::kU8, {Dim::symbol("path")}, "path", where);
  ir::ValueIds saved{staging.value_of(path_)};
  for (const auto& [name, variable] : variables) {
    saved.push_back(staging.value_of(variable.read()));
  }
  save_ = {add_node(staging, kSaveTensors, saved, values, {}, "SaveTensors", where)};
  Types types;
  for (const SavedValue& one : values) types.push_back(one.type);
  const ir::NodeId restored =
      add_node(staging, kRestoreTensors, {saved[0]}, values, types, "RestoreTensors", where);
  std::vector<Operation> assigned;
  for (size_t i = 0; i < variables.size(); ++i) {
    const Tensor value = staging.tensor_of(staging.graph().node(restored).outputs[i]);
    assigned.push_back(graph_.operation_of(graph_.assign(variables[i].second, value, where)));
  }
  restore_ = graph_.group(assigned, "restore_all", where);
}

std::string Saver::save(const Session& session, const std::string& path,
                        std::optional<int64_t> global_step) const {
  const std::string whole = global_step ? text(path, "-", *global_step) : path;
  const std::string folder = folder_of(whole);
  const FolderLock lock(folder, "Saver");
  for (const std::string& name : names_in(folder)) {  // of saves that were killed
    if (name.starts_with(kTemporary)) remove_all(text(folder, "/", name), "Saver");
  }
  const std::string place = without_links(whole, "Saver");  // a link stays one
  const std::string temporary =
      text(folder_of(place), "/", kTemporary, place.substr(place.rfind('/') + 1));
  session.run(save_, {{path_, path_tensor(temporary)}});
  rename_durably(temporary, place, "Saver");

  std::erase(*written_, whole);
  written_->push_back(whole);
  std::vector<std::string> old;
  while (options_.max_to_keep && written_->size() > static_cast<size_t>(*options_.max_to_keep)) {
    old.push_back(written_->front());
    written_->erase(written_->begin());
  }
  io::CheckpointState state{beside(whole, folder), {}};
  for (const std::string& one : *written_) state.all.push_back(beside(one, folder));
  write_file_atomically(text(folder, kStateFile), io::to_text(state));
  for (const std::string& one : old) remove_all(one, "Saver");
  return whole;
}

void Saver::restore(const Session& session, const std::string& path) const {
  session.run(restore_, {{path_, path_tensor(path)}});
}

std::optional<std::string> latest_checkpoint(const std::string& folder) {
  const std::string path = folder + std::string(kStateFile);
  const std::optional<std::string> content = try_read_file(path);
  if (!content) return std::nullopt;
  const std::string latest = io::parse_checkpoint_state(*content, path).latest;
  return latest.starts_with('/') || latest.find('/') != std::string::npos
             ? latest
             : text(folder, "/", latest);
}

// What the ops of a graph do.
void save_values(const std::string& path, const SavedValues& about, TensorSpan values) {
  io::NamedTensors tensors;
  for (size_t i = 0; i < about.size(); ++i) tensors.push_back({about[i].name, values[i]});
  AtomicFile file(path, "Saver");
  io::write_safetensors(file, tensors, {}, "Saver");
  file.commit();
}

Tensors restore_values(const std::string& path, const SavedValues& wanted) {
  const InputFile file(path, "Saver");
  const io::SafetensorsReader reader(file, "Saver");
  std::map<std::string_view, const io::SafetensorsReader::Entry*> entries;
  for (const auto& entry : reader.entries()) entries.emplace(entry.name, &entry);
  Tensors out;
  for (const auto& [name, type] : wanted) {
    const auto found = entries.find(name);
    if (found == entries.end()) {
      fail(Code::kInvalid, "Saver", "missing", "'", path, "' has no value for '", name,
           "'; restore those that it has by a Saver of their own");
    }
    const Tensor value = reader.load(*found->second);
    if (value.type() != type) {
      fail(Code::kInvalid, "Saver", "type", "'", path, "' has ", value.type(), " for '", name,
           "', but the Variable holds ", type);
    }
    out.push_back(value);
  }
  return out;
}

}  // namespace weft
