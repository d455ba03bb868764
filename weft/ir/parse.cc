// Reading the text of functions.
#include <mutex>
#include <set>

#include "weft/base/error.h"
#include "weft/base/mutex.h"
#include "weft/base/thread_pool.h"
#include "weft/core/dim_text.h"
#include "weft/ir/print.h"
#include "weft/ir/verify.h"
#include "weft/op/attrs_text.h"
#include "weft/op/registry.h"
#include "weft/op/vjp_op.h"

namespace weft::ir {
namespace {

using Variables = std::map<std::string, Variable, std::less<>>;

// Zeros without memory of their own are one number, seen from everywhere: a short text may name a
// large Variable.
constexpr int64_t kMostBytes = int64_t{1} << 20;
// Functions that call functions are verified, printed and freed one inside of the other.
constexpr int kDeepest = 200;

// Files that texts name; lines point to them for the life of the process.
const char* kept_file_name(std::string_view name) {
  static Mutex mutex;
  static auto* const names = new std::set<std::string, std::less<>>;
  std::lock_guard lock(mutex);
  const auto found = names->find(name);
  return found != names->end() ? found->c_str() : names->emplace(name).first->c_str();
}

class Reader : public AttrNames {
 public:
  Reader(std::string_view text, Variables variables) : cursor_(text, "graph") {
    document_.variables = std::move(variables);
  }

  Document read() {
    read_version();
    while (cursor_.take("variable ")) read_variable();
    while (cursor_.take("function ")) read_function();
    if (!cursor_.done()) cursor_.fail("expected 'function', or the end");
    if (document_.functions.empty()) cursor_.fail("there is no function");
    // Callers first: what they take for granted of sizes holds in the functions they call.
    verify_all(document_.functions);
    return std::move(document_);
  }

  Variable variable(std::string_view name) override {
    const auto found = document_.variables.find(name);
    if (found == document_.variables.end()) cursor_.fail(text("there is no variable @", name));
    return found->second;
  }
  FunctionAttr function(std::string_view name) override {
    const auto found = functions_.find(name);
    if (found == functions_.end()) cursor_.fail(text("there is no function @", name, " above"));
    depth_ = std::max(depth_, found->second.depth + 1);
    return found->second.function;
  }

 private:
  struct Named {
    Shared<const Function> function;
    int depth = 0;  // of the functions it calls
  };

  void read_version() {
    cursor_.expect("weft ");
    const auto version = cursor_.number<int>();
    if (version < 1 || version > kTextVersion) {
      cursor_.fail(text("the text is of version ", version,
                        ", and this library reads versions 1 to ", kTextVersion));
    }
  }

  Type type() {
    cursor_.skip_space();
    const std::string_view before = cursor_.rest();
    const std::optional<DType> dtype = parse_dtype(cursor_.word());
    if (!dtype) cursor_.fail_before(before, "expected a type");
    Type out{*dtype, {}};
    cursor_.expect("[");
    while (!cursor_.take("]")) {
      if (!out.shape.empty()) cursor_.expect(",");
      if (out.rank() == kMaxRank) cursor_.fail("more axes than a tensor may have");
      out.shape.push_back(size());
    }
    return out;
  }
  Dim size() {
    cursor_.skip_space();
    const std::string_view before = cursor_.rest();
    const Dim out = read_dim(cursor_);
    if (out.is_known() && out.value() < 0) cursor_.fail_before(before, "a size is at least 0");
    return out;
  }

  Where line() {
    if (!cursor_.take("at ")) return {};
    const std::string place = cursor_.quoted();
    const size_t colon = place.rfind(':');
    uint32_t number = 0;
    if (colon != std::string::npos) {
      std::from_chars(place.data() + colon + 1, place.data() + place.size(), number);
    }
    return {kept_file_name(place.substr(0, colon)), number & ~kForeignLine};
  }

  void read_variable() {
    cursor_.skip_space();
    const std::string_view before = cursor_.rest();
    const std::string called = cursor_.name("@");
    cursor_.expect(":");
    const Type what = type();
    const bool is_constant = cursor_.take("constant");
    const auto known = document_.variables.find(called);
    if (known == document_.variables.end()) {
      const Variable made = made_variable(what, called, is_constant);
      document_.variables.emplace(called, made);
      document_.lists.variables.push_back(made);
      return;
    }
    document_.lists.variables.push_back(known->second);
    const Type place{known->second.dtype(), known->second.shape()};
    if (place == what) return;
    cursor_.fail_before(before, text("the variable @", called, " holds ", place, ", not ", what));
  }

  Variable made_variable(const Type& what, std::string_view called, bool is_constant) {
    int64_t bytes = size_of(what.dtype);
    for (const Dim dim : what.shape) {
      if (!dim.is_known()) cursor_.fail("a variable has no symbols in its shape");
      if (__builtin_mul_overflow(bytes, dim.value(), &bytes))
        cursor_.fail("the variable is too large");
    }
    const bool is_small = bytes <= kMostBytes;
    const std::vector<std::byte> none(static_cast<size_t>(is_small ? bytes : size_of(what.dtype)));
    const Tensor value =
        is_small
            ? Tensor::from_bytes(what.dtype, what.shape, none)
            : Tensor::from_bytes(what.dtype, {}, none).view(what.shape, Ints(what.shape.size(), 0));
    return Variable(value, {.name = called, .trainable = !is_constant});
  }

  void read_function() {
    auto function = new_shared<Function>();
    depth_ = 0;
    cursor_.skip_space();
    const std::string_view before = cursor_.rest();
    function->name = cursor_.name("@");
    if (functions_.contains(function->name)) {
      cursor_.fail_before(before, text("@", function->name, " is there already"));
    }
    Graph& graph = function->graph;
    document_.lists.collections.clear();  // of one that is called: nobody could ask for them
    cursor_.expect("(");
    while (!cursor_.take(")")) {
      if (!graph.parameters().empty()) cursor_.expect(",");
      const std::string called = new_name(graph);
      cursor_.expect(":");
      const Type what = type();
      graph.add_parameter(what, called, line());
    }
    cursor_.expect("->");
    cursor_.expect("(");
    Types declared;
    while (!cursor_.take(")")) {
      if (!declared.empty()) cursor_.expect(",");
      declared.push_back(type());
    }
    cursor_.expect("{");
    while (cursor_.take("assume ")) read_assumption(*function);
    while (!cursor_.take("return")) {
      poll_interrupt();
      if (cursor_.take("collect ")) {
        read_collection(graph);
      } else {
        read_node(graph);
      }
    }
    while (!cursor_.take("}")) {
      if (!function->results.empty()) cursor_.expect(",");
      read_result(*function, declared);
    }
    if (function->results.size() != declared.size()) {
      cursor_.fail(text("@", function->name, " returns ", function->results.size(),
                        " values, but declares ", declared.size()));
    }
    if (depth_ > kDeepest) cursor_.fail(text("functions call each other deeper than ", kDeepest));
    functions_.emplace(function->name, Named{function, depth_});
    document_.functions.push_back(std::move(function));
  }

  void read_collection(const Graph& graph) {
    std::vector<Listed>& items = document_.lists.collections[cursor_.quoted()];
    do {
      Listed item;
      if (cursor_.take("op ")) {
        item.node = node_name(graph);
      } else if (cursor_.at("@")) {
        item.variable = variable(cursor_.name("@"));
      } else {
        item.value = value(graph);
        if (item.value == kNone) cursor_.fail("expected a value, an op or a variable");
      }
      items.push_back(std::move(item));
    } while (cursor_.take(","));
  }

  void read_result(Function& function, const Types& declared) {
    cursor_.skip_space();
    const std::string_view before = cursor_.rest();
    const ValueId id = value(function.graph);
    if (id == kNone) cursor_.fail_before(before, "expected a value");
    const size_t k = function.results.size();
    if (k < declared.size() && !(function.graph.value(id).type == declared[k])) {
      cursor_.fail_before(before, text("result ", k, " is ", function.graph.value(id).type,
                                       ", but @", function.name, " declares ", declared[k]));
    }
    function.results.push_back(id);
  }

  void read_assumption(Function& function) {
    Assumption out;
    out.a = read_dim(cursor_);
    static constexpr std::pair<std::string_view, Assumption::Relation> kSigns[] = {
        {"==", Assumption::Relation::kEqual},
        {"!=", Assumption::Relation::kNotEqual},
        {"<", Assumption::Relation::kLess},
        {">=", Assumption::Relation::kNotLess}};
    bool found = false;
    for (const auto& [sign, relation] : kSigns) {
      if (found || !cursor_.take(sign)) continue;
      out.relation = relation;
      found = true;
    }
    if (!found) cursor_.fail("expected ==, !=, < or >=");
    out.b = read_dim(cursor_);
    out.where = line();
    function.assumptions.push_back(out);
  }

  std::string new_name(const Graph& graph) {
    cursor_.skip_space();
    const std::string_view before = cursor_.rest();
    std::string out = cursor_.name("%");
    if (graph.has_name(out)) cursor_.fail_before(before, text("%", out, " is there already"));
    return out;
  }

  // "%x", "%split:1", or "none".
  ValueId value(const Graph& graph) {
    if (cursor_.take("none")) return kNone;
    cursor_.skip_space();
    const std::string_view before = cursor_.rest();
    std::string called = cursor_.name("%");
    ValueId out = kNone;
    const std::string_view rest = cursor_.rest();
    if (rest.size() > 1 && rest[0] == ':' && '0' <= rest[1] && rest[1] <= '9') {
      cursor_.expect(":");
      const auto output = cursor_.number<uint32_t>();
      const NodeId maker = graph.find_node(called);
      if (maker != kNone && output < graph.node(maker).outputs.size()) {
        out = graph.node(maker).outputs[output];
      }
      called += text(':', output);
    } else if (graph.has_name(called)) {
      out = graph.find_value(called);
    }
    if (out == kNone) cursor_.fail_before(before, text("there is no value %", called, " above"));
    return out;
  }

  void read_node(Graph& graph) {
    const std::string node_name = new_name(graph);
    cursor_.expect("=");
    const OpDef& op = named_op();
    cursor_.expect("(");
    ValueIds in;
    while (!cursor_.take(")")) {
      if (!in.empty()) cursor_.expect(",");
      in.push_back(value(graph));
    }
    auto attrs = cursor_.take("{")
                     ? new_shared<const AnyAttrs>(read_attrs(*op.attrs, cursor_, this))
                     : nullptr;
    if (attrs == nullptr) {
      attrs = new_shared<const AnyAttrs>(op.attrs);
    } else {
      cursor_.expect("}");
    }
    cursor_.expect(":");
    Types out;
    if (!cursor_.take("()")) {
      do {
        out.push_back(type());
      } while (cursor_.take(","));
    }
    NodeOptions options{.name = node_name};
    if (cursor_.take("after ")) options.after = node_names(graph);
    if (cursor_.take("follows ")) options.follows = node_names(graph);
    std::string device;
    if (cursor_.take("on ")) options.device = device = cursor_.quoted();
    options.where = line();
    graph.add(op, std::move(in), std::move(attrs), out, options);
  }

  const OpDef& named_op() {
    cursor_.skip_space();
    const std::string_view before = cursor_.rest();
    const std::string name = cursor_.name("");
    const OpEntry* const entry = find_op(name);
    const OpDef* const op = entry == nullptr ? vjp_op_named(name) : entry->op;
    if (op != nullptr) return *op;
    cursor_.fail_before(before, entry == nullptr
                                    ? text("there is no op ", name,
                                           "; an op of your own is "
                                           "registered first, and functions with rules of their "
                                           "own cannot be read back")
                                    : text(name, " is made of other ops and is none itself"));
  }

  NodeIds node_names(const Graph& graph) {
    NodeIds out;
    do {
      out.push_back(node_name(graph));
    } while (cursor_.take(","));
    return out;
  }
  NodeId node_name(const Graph& graph) {
    cursor_.skip_space();
    const std::string_view before = cursor_.rest();
    const std::string name = cursor_.name("%");
    const NodeId earlier = graph.find_node(name);
    if (earlier == kNone) cursor_.fail_before(before, text("there is no op %", name, " above"));
    return earlier;
  }

  TextCursor cursor_;
  Document document_;
  std::map<std::string, Named, std::less<>> functions_;
  int depth_ = 0;  // of the function that is being read
};

}  // namespace

Document parse(std::string_view text, Variables variables) {
  return Reader(text, std::move(variables)).read();
}

}  // namespace weft::ir
