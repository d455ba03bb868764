// What a picture of a tape shows, read off the records; and the same as text for Graphviz.
#include "weft/transform/draw.h"

#include <algorithm>
#include <tuple>
#include <unordered_map>

#include "weft/op/record.h"
#include "weft/transform/custom.h"

namespace weft {
namespace {

std::string type_text(DType dtype, ShapeView shape) {
  return rank_of(shape) == 0 ? text(dtype) : text(dtype, shape);
}

// The line without the folders before the file.
std::string short_line(Where where) {
  if (!where.known()) return "";
  const std::string line = to_string(where);
  const size_t slash = line.rfind('/');
  return slash == std::string::npos ? line : line.substr(slash + 1);
}

// The attributes that say something: "axis=[1], keepdims=true".
std::string shown_attrs(const AttrsType& type, const void* attrs) {
  std::string out;
  for (const FieldInfo& field : type.fields) {
    const std::string value = print_field(field, attrs);
    if (value == "none" || value == "false") continue;
    out += text(out.empty() ? "" : ", ", field.name, "=", value);
  }
  return out;
}

GradNode* without_alias(GradNode* node) {
  return node->kind() == GradRole::kAlias ? node->edges()[0].link : node;
}

class Reader {
 public:
  explicit Reader(size_t most) : most_(most) {}

  std::vector<DrawnRecord> read(GradNode* value) {
    note_output(value);
    collect(RecordOutput(value).record);
    for (GradNode* const record : found_) {
      DrawnRecord drawn = record->kind() == GradRole::kLeaf ? leaf(record) : op(record);
      index_[record] = records_.size();
      records_.push_back(std::move(drawn));
    }
    return std::move(records_);
  }

 private:
  // All records that lead to `last`, in program order, which is a topological one.
  void collect(GradNode* last) {
    std::unordered_map<GradNode*, bool> seen{{last, true}};
    found_.push_back(last);
    for (size_t i = 0; i < found_.size(); ++i) {
      if (found_[i]->kind() != GradRole::kOp) continue;
      for (const GradEdge& edge : found_[i]->edges()) {
        if (edge.link == nullptr) continue;
        GradNode* const record = RecordOutput(edge.link).record;
        note_output(edge.link);
        if (seen.emplace(record, true).second) found_.push_back(record);
      }
      if (found_.size() > most_) {
        fail(Code::kOverflow, "draw", "size", "there are more than ", most_,
             " records behind this value; draw a smaller one, or ask for more");
      }
    }
    std::vector<std::tuple<bool, uint64_t, size_t>> keyed;  // leaves first, as they were found
    for (size_t i = 0; i < found_.size(); ++i) {
      const bool is_op = found_[i]->kind() == GradRole::kOp;
      keyed.emplace_back(is_op, is_op ? found_[i]->order : 0, i);
    }
    std::sort(keyed.begin(), keyed.end());
    std::vector<GradNode*> sorted;
    for (const auto& [is_op, order, i] : keyed) sorted.push_back(found_[i]);
    found_ = std::move(sorted);
  }

  // A record of several outputs has no type of its own: that of the last one used is shown.
  void note_output(GradNode* node) {
    node = without_alias(node);
    if (node->kind() == GradRole::kOutput) outputs_[RecordOutput(node).record] = node;
  }
  std::string type_of(GradNode* record) const {
    const auto output = outputs_.find(record);
    const GradNode* const typed = output == outputs_.end() ? record : output->second;
    return type_text(typed->dtype, typed->shape());
  }

  DrawnRecord leaf(GradNode* node) const {
    DrawnRecord out;
    out.kind = DrawnRecord::Kind::kLeaf;
    const Tensor& place = node->edges()[0].saved;  // the gradient of a Variable
    if (place.defined()) {
      const Tracer* const gradient = static_cast<const Tracer*>(place.node());
      const std::string name = gradient->type->describe(gradient);
      out.name = name.substr(0, name.rfind(".grad"));
      if (out.name.empty()) out.name = "Variable";
    } else {
      out.name = "argument";
    }
    out.type = type_text(node->dtype, node->shape());
    out.line = short_line(node->where);
    return out;
  }

  DrawnRecord op(GradNode* node) {
    DrawnRecord out;
    out.name = shown_name(*node->op, node->attrs());
    out.attrs = shown_attrs(*node->op->attrs, node->attrs());
    out.type = type_of(node);
    out.line = short_line(node->where);
    out.reads_output = node->kept > 0;
    for (const GradEdge& edge : node->input_edges()) {
      const bool is_read = edge.saved.defined() && edge.saved.is_concrete();
      if (edge.link != nullptr) {
        out.inputs.push_back({index_.at(RecordOutput(edge.link).record), true, is_read});
      } else if (is_read) {
        out.inputs.push_back({constant(edge.saved), false, true});
      }
    }
    return out;
  }

  // A constant that the tape keeps; the same value is shown once.
  size_t constant(const Tensor& value) {
    const auto [known, is_new] = constants_.emplace(value.node(), records_.size());
    if (is_new) {
      DrawnRecord out;
      out.kind = DrawnRecord::Kind::kConstant;
      const bool is_number = value.numel() == 1 && !is_complex(value.dtype());
      out.name = is_number ? text(value.item()) : "constant";
      out.type = type_text(value.dtype(), value.shape());
      records_.push_back(std::move(out));
    }
    return known->second;
  }

  const size_t most_;
  std::vector<GradNode*> found_;
  std::vector<DrawnRecord> records_;
  std::unordered_map<const GradNode*, size_t> index_;
  std::unordered_map<const TensorNode*, size_t> constants_;
  std::unordered_map<const GradNode*, const GradNode*> outputs_;
};

std::string escaped(std::string_view label) {
  std::string out;
  for (const char c : label) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out;
}

std::string dot_label(const DrawnRecord& record) {
  std::string out = escaped(record.name);
  for (const std::string* part : {&record.attrs, &record.type, &record.line}) {
    if (!part->empty()) out += "\\n" + escaped(*part);
  }
  return out;
}

std::string dot_backward(const std::vector<DrawnRecord>& records) {
  std::string out = "  subgraph cluster_backward {\n    label=\"backward\"; color=\"#d8d4ca\";\n";
  out += text("    seed [label=\"1\", shape=circle];\n");
  for (size_t i = 0; i < records.size(); ++i) {
    const DrawnRecord& record = records[i];
    if (record.kind == DrawnRecord::Kind::kConstant) continue;
    const bool is_leaf = record.kind == DrawnRecord::Kind::kLeaf;
    out +=
        text("    b", i, " [label=\"", escaped(record.name), is_leaf ? ".grad" : " backward", "\\n",
             escaped(record.type), "\", fillcolor=\"", is_leaf ? "#dcebdc" : "#f7e3d6", "\"];\n");
  }
  out += "  }\n";
  out += text("  seed -> b", records.size() - 1, ";\n");
  return out;
}

}  // namespace

std::vector<DrawnRecord> records_behind(const Tensor& value, size_t most) {
  if (!value.defined()) fail(Code::kType, "draw", "input", "the tensor is undefined");
  Tensor t = value;
  while (t.defined() && !t.is_concrete() && grad_node(t) == nullptr) t = value_below(t);
  GradNode* const node = t.defined() ? grad_node(t) : nullptr;
  if (node == nullptr) {
    fail(Code::kInvalid, "draw", "path", "nothing was recorded behind this value (", value.type(),
         "); compute it from a Variable, outside of no_grad");
  }
  if (node->is_stop()) {
    fail(Code::kInvalid, "draw", "path", "no gradient leads back from this value: its path ends ",
         describe_stop(node->record()));
  }
  GradNode* const last = RecordOutput(node).record;
  if (last->state.load_acquire() == kRecordFreed) {
    fail(Code::kInvalid, "draw", "freed",
         "the records behind this value were freed by a backward; draw it before, or ask that one "
         "to retain the graph (its option retain_graph)");
  }
  return Reader(most).read(node);
}

std::string draw_dot(const Tensor& value, size_t most) {
  const std::vector<DrawnRecord> records = records_behind(value, most);
  std::string out =
      "digraph tape {\n  node [shape=box, style=\"rounded,filled\", fontname=\"Helvetica\", "
      "fontsize=11];\n  subgraph cluster_forward {\n    label=\"forward\"; color=\"#d8d4ca\";\n";
  for (size_t i = 0; i < records.size(); ++i) {
    const char* const colours[] = {"#e3e9f3", "#dcebdc", "#eeeeee"};
    out += text("    f", i, " [label=\"", dot_label(records[i]), "\", fillcolor=\"",
                colours[static_cast<size_t>(records[i].kind)], "\"];\n");
  }
  out += "  }\n" + dot_backward(records);
  for (size_t i = 0; i < records.size(); ++i) {
    for (const DrawnRecord::Input& input : records[i].inputs) {
      out += text("  f", input.record, " -> f", i, ";\n");
      if (input.is_followed) out += text("  b", i, " -> b", input.record, ";\n");
      if (input.is_read) {
        out += text("  f", input.record, " -> b", i,
                    " [style=dashed, color=\"#a09888\", "
                    "constraint=false];\n");
      }
    }
    if (records[i].reads_output) {
      out += text("  f", i, " -> b", i, " [style=dashed, color=\"#a09888\", constraint=false];\n");
    }
  }
  return out + "}\n";
}

}  // namespace weft
