// Reading the text of functions.
#include <cctype>
#include <charconv>
#include <mutex>
#include <set>

#include "weft/base/error.h"
#include "weft/ir/print.h"
#include "weft/ir/verify.h"
#include "weft/op/apply.h"
#include "weft/op/builtin.h"
#include "weft/op/registry.h"
#include "weft/op/vjp_op.h"

namespace weft::ir {
namespace {

constexpr std::string_view kHeader = "weft 1";

// Files that texts name; lines point to them for the life of the process.
const char* kept_file_name(std::string_view name) {
  static std::mutex mutex;
  static auto* const names = new std::set<std::string, std::less<>>;
  std::lock_guard lock(mutex);
  const auto found = names->find(name);
  return found != names->end() ? found->c_str() : names->emplace(name).first->c_str();
}

class Reader : public AttrNames {
 public:
  Reader(std::string_view text, std::map<std::string, Variable, std::less<>> variables)
      : whole_(text), rest_(text) {
    document_.variables = std::move(variables);
  }

  Document read() {
    expect(kHeader);
    while (take("variable ")) read_variable();
    while (take("function ")) read_function();
    skip_space();
    if (!rest_.empty()) fail_here("expected 'function', or the end");
    if (document_.functions.empty()) fail_here("there is no function");
    return std::move(document_);
  }

  Variable variable(std::string_view name) override {
    const auto found = document_.variables.find(name);
    if (found == document_.variables.end()) fail_here(text("there is no variable @", name));
    return found->second;
  }
  FunctionAttr function(std::string_view name) override {
    for (const Shared<const Function>& function : document_.functions) {
      if (function->name == name) return function;
    }
    fail_here(text("there is no function @", name, " above"));
  }

 private:
  [[noreturn]] void fail_here(const std::string& what) const {
    const std::string_view before = whole_.substr(0, whole_.size() - rest_.size());
    size_t line = 1, column = 1;
    for (const char c : before) {
      line += c == '\n' ? 1 : 0;
      column = c == '\n' ? 1 : column + 1;
    }
    fail(Code::kInvalid, "graph", "parse", what, " at line ", line, ", column ", column);
  }

  void skip_space() {
    while (!rest_.empty() && isspace(static_cast<unsigned char>(rest_.front()))) {
      rest_.remove_prefix(1);
    }
  }
  bool take(std::string_view token) {
    skip_space();
    if (!rest_.starts_with(token)) return false;
    rest_.remove_prefix(token.size());
    return true;
  }
  void expect(std::string_view token) {
    if (!take(token)) fail_here(text("expected '", token, "'"));
  }
  // Names may hold slashes, dots and dashes; a value's may end in ":1".
  std::string_view name(std::string_view sign) {
    expect(sign);
    size_t n = 0;
    while (n < rest_.size() &&
           (isalnum(static_cast<unsigned char>(rest_[n])) ||
            std::string_view("_/.-<>?").find(rest_[n]) != std::string_view::npos)) {
      ++n;
    }
    if (n == 0) fail_here("expected a name");
    return taken(n);
  }
  std::string_view taken(size_t n) {
    const std::string_view out = rest_.substr(0, n);
    rest_.remove_prefix(n);
    return out;
  }
  std::string_view quoted() {
    expect("\"");
    const size_t end = rest_.find('"');
    if (end == std::string_view::npos) fail_here("the string has no end");
    const std::string_view out = taken(end);
    rest_.remove_prefix(1);
    return out;
  }

  Type type() {
    skip_space();
    size_t n = 0;
    while (n < rest_.size() && isalnum(static_cast<unsigned char>(rest_[n]))) ++n;
    const std::optional<DType> dtype = parse_dtype(rest_.substr(0, n));
    if (!dtype) fail_here("expected a type");
    taken(n);
    Type out{*dtype, {}};
    expect("[");
    while (!take("]")) {
      if (!out.shape.empty()) expect(",");
      if (out.rank() == kMaxRank) fail_here("more axes than a tensor may have");
      out.shape.push_back(dim(",]"));
    }
    return out;
  }
  // A size, up to one of the characters that end it outside of parentheses.
  Dim dim(std::string_view ends) {
    skip_space();
    size_t n = 0;
    for (int depth = 0; n < rest_.size() && rest_[n] != '\n'; ++n) {
      depth += rest_[n] == '(' ? 1 : rest_[n] == ')' ? -1 : 0;
      if (depth <= 0 && ends.find(rest_[n]) != std::string_view::npos) break;
    }
    const std::optional<Dim> out = parse_dim(rest_.substr(0, n));
    if (!out || (out->is_known() && out->value() < 0)) fail_here("expected a size");
    taken(n);
    return *out;
  }

  Where line() {
    if (!take("at ")) return {};
    const std::string_view place = quoted();
    const size_t colon = place.rfind(':');
    uint32_t number = 0;
    if (colon != std::string_view::npos) {
      const std::string_view digits = place.substr(colon + 1);
      std::from_chars(digits.data(), digits.data() + digits.size(), number);
    }
    return {kept_file_name(place.substr(0, colon)), number & ~kForeignLine};
  }

  void read_variable() {
    const std::string_view called = name("@");
    expect(":");
    const Type what = type();
    const bool is_constant = take("constant");
    if (document_.variables.contains(called)) return;
    if (num_elements(what.shape).value() > kMostElements) fail_here("the variable is too large");
    document_.variables.emplace(
        std::string(called),
        Variable(zeros(what.shape, what.dtype), {.name = called, .trainable = !is_constant}));
  }

  void read_function() {
    auto function = new_shared<Function>();
    function->name = name("@");
    Graph& graph = function->graph;
    expect("(");
    while (!take(")")) {
      if (!graph.parameters().empty()) expect(",");
      const std::string_view called = name("%");
      if (graph.find_value(called) != kNone) fail_here(text("%", called, " is there already"));
      expect(":");
      const Type what = type();
      graph.add_parameter(what, called, line());
    }
    expect("->");
    expect("(");
    Types declared;
    while (!take(")")) {
      if (!declared.empty()) expect(",");
      declared.push_back(type());
    }
    expect("{");
    while (take("assume ")) read_assumption(*function);
    while (!take("return")) read_node(graph);
    for (bool first = true; !take("}"); first = false) {
      if (!first) expect(",");
      function->results.push_back(value(graph));
    }
    if (function->results.size() != declared.size()) fail_here("not as many results as declared");
    verify(*function);
    document_.functions.push_back(std::move(function));
  }

  void read_assumption(Function& function) {
    Assumption out;
    out.a = dim("=!<> ");
    static constexpr std::pair<std::string_view, Assumption::Relation> kSigns[] = {
        {"==", Assumption::Relation::kEqual},
        {"!=", Assumption::Relation::kNotEqual},
        {"<", Assumption::Relation::kLess},
        {">=", Assumption::Relation::kNotLess}};
    bool found = false;
    for (const auto& [sign, relation] : kSigns) {
      if (found || !take(sign)) continue;
      out.relation = relation;
      found = true;
    }
    if (!found) fail_here("expected ==, !=, < or >=");
    out.b = dim(" \n");
    out.where = line();
    function.assumptions.push_back(out);
  }

  ValueId value(const Graph& graph) {
    if (take("none")) return kNone;
    const std::string_view begin = rest_;
    std::string_view called = name("%");
    if (rest_.starts_with(":") && rest_.size() > 1 &&
        isdigit(static_cast<unsigned char>(rest_[1]))) {
      size_t n = 1;
      while (n < rest_.size() && isdigit(static_cast<unsigned char>(rest_[n]))) ++n;
      called = std::string_view(called.data(), called.size() + n);
      taken(n);
    }
    const ValueId out = graph.find_value(called);
    if (out == kNone) {
      rest_ = begin;
      fail_here(text("there is no value %", called, " above"));
    }
    return out;
  }

  void read_node(Graph& graph) {
    const std::string node_name(name("%"));
    if (graph.find_value(node_name) != kNone || graph.find_node(node_name) != kNone) {
      fail_here(text("%", node_name, " is there already"));
    }
    expect("=");
    const std::string op_name(name(""));
    const OpDef* const op = op_named(op_name);
    if (op == nullptr) fail_here(text("there is no op ", op_name));
    expect("(");
    ValueIds in;
    while (!take(")")) {
      if (!in.empty()) expect(",");
      in.push_back(value(graph));
    }
    const Shared<const AnyAttrs> attrs = attributes(*op);
    expect(":");
    Types out;
    if (!take("()")) {
      do {
        out.push_back(type());
      } while (take(","));
    }
    NodeOptions options{.name = node_name};
    if (take("after ")) options.after = node_names(graph);
    if (take("follows ")) options.follows = node_names(graph);
    std::string device;
    if (take("on ")) options.device = device = quoted();
    options.where = line();
    graph.add(*op, std::move(in), attrs, out, options);
  }

  NodeIds node_names(const Graph& graph) {
    NodeIds out;
    do {
      const NodeId earlier = graph.find_node(name("%"));
      if (earlier == kNone) fail_here("there is no such op above");
      out.push_back(earlier);
    } while (take(","));
    return out;
  }

  static const OpDef* op_named(const std::string& name) {
    const OpEntry* const entry = find_op(name);
    return entry == nullptr ? vjp_op_named(name) : entry->op;
  }

  Shared<const AnyAttrs> attributes(const OpDef& op) {
    if (!take("{")) return new_shared<const AnyAttrs>(op.attrs);
    // Up to the brace that closes it; braces inside of strings do not count.
    size_t n = 0;
    for (bool in_string = false; n < rest_.size() && (in_string || rest_[n] != '}'); ++n) {
      if (rest_[n] == '\\' && in_string) {
        ++n;
      } else if (rest_[n] == '"') {
        in_string = !in_string;
      }
    }
    if (n >= rest_.size()) fail_here("the attributes have no end");
    const std::string_view inside = rest_.substr(0, n);
    auto out = new_shared<const AnyAttrs>(parse_attrs(*op.attrs, inside, this));
    taken(n + 1);
    return out;
  }

  static constexpr int64_t kMostElements = int64_t{1} << 32;

  std::string_view whole_, rest_;
  Document document_;
};

}  // namespace

Document parse(std::string_view text, std::map<std::string, Variable, std::less<>> variables) {
  return Reader(text, std::move(variables)).read();
}

}  // namespace weft::ir
