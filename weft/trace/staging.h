// Staging: the level that writes ops into a graph and computes nothing.
#pragma once

#include <atomic>
#include <map>
#include <mutex>
#include <unordered_map>
#include <unordered_set>

#include "weft/base/mutex.h"
#include "weft/ir/function.h"
#include "weft/op/levels.h"

namespace weft {

// What a trace read beside its arguments: an outer tracer, a Variable, or the default generator. It
// is a parameter of the function, and if it was written, a result.
struct Captured {
  enum class Kind : uint8_t { kValue, kVariable, kSeed, kDraws };
  Kind kind = Kind::kValue;
  Tensor value;       // as it was outside when it was read first
  Variable variable;  // kVariable
  ir::ValueId parameter = ir::kNone;
  ir::ValueId current = ir::kNone;  // its value at this point of the trace
  bool is_written = false;
};

// A Variable that a graph uses, and the value it had when the graph met it first.
struct GraphVariable {
  Variable variable;
  Tensor initial;
};

class Staging final : public Level, public DimOracle {
 public:
  // kGraph: Variables are read and written when the graph runs, in the order of its nodes.
  // kFunction: the graph is pure; Variables and draws are parameters and results.
  enum class Kind : uint8_t { kGraph, kFunction };

  // A staging inside of another leaves decisions about sizes to it, unless it stands alone.
  static Shared<Staging> open(Kind kind, bool stands_alone = false);
  // A graph that goes on where this one ends.
  static Shared<Staging> resume(ir::Graph graph, std::vector<ir::Assumption> assumptions);
  ~Staging() override;

  // The next parameter. Symbols in its shape that have a hint are decided by it.
  Tensor parameter(const Type& type, std::string_view name, Where where);
  // A symbol and the size it has in the call that is traced.
  void hint(Dim symbol, int64_t size) { hints_.push_back({symbol, Dim(size)}); }

  Tensors interpret(const OpDef& op, TensorSpan in, const void* attrs, Where where) override;
  bool follows_variables() const override { return true; }
  bool stages() const override { return true; }
  Tensor follow(const Variable& variable, const Tensor& value) override;
  Tensor detached_value(const Variable& variable) override;
  bool assign(const Variable& variable, const Tensor& value, Where where) override;
  // What a condition, a loop or a call wrote: in a graph this happens whenever the op runs that
  // made the value.
  void store(const Variable& variable, const Tensor& value, Where where);
  // These nodes and what they write.
  ir::NodeIds with_writes(std::span<const ir::NodeId> nodes) const;
  Tensor drawn_before() override;
  bool on_seed(const Tensor& key, uint64_t draws) override;

  int64_t value_of(Dim dim) override;
  std::optional<int64_t> hint(Dim dim) override {
    return outer_ == nullptr ? hinted(dim) : outer_->hint(dim);
  }
  Tri is_same(Dim a, Dim b) override;
  Tri is_less(Dim a, Dim b) override;

  // The edge that stands for a tensor here: its own, a constant, or a captured one.
  ir::ValueId value_of(const Tensor& tensor, std::string_view name = "");
  // A tensor for an edge of the graph.
  Tensor tensor_of(ir::ValueId id);
  // From here on the edge of `inside` stands for the tensor `outside`, too.
  void let_stand_for(const Tensor& inside, const Tensor& outside);
  // Are two tensors of outside one value there?
  bool are_one_outside(const Tensor& a, const Tensor& b) const;

  // Names of nodes begin with this; and the nodes that every new one runs after.
  std::string scope;
  std::string device;
  ir::NodeIds after;

  // It traces the derivative of a custom function.
  bool is_rule = false;
  // What the user calls a size: the size of that name, which is `size` if nothing else had the name
  // before. A symbol is called so from then on.
  Dim size_named(std::string_view name, Dim size);
  // Is it that size? A symbol that nobody has named becomes it; what else only a run can tell is
  // assumed, at this line.
  bool is_size(Dim size, Dim wanted, Where where);

  // Lists the Variable among those of the graph; what it uses is listed by itself.
  void add_variable(const Variable& variable);
  const std::vector<GraphVariable>& variables() const { return variables_; }

  // Gives a node other attributes, by which it has further outputs.
  void extend_node(ir::NodeId id, Shared<const AnyAttrs> attrs, TypeSpan more);
  // Makes a parameter of an outer tensor that has this symbol as an extent.
  void carrier_outside(Dim symbol);
  // The state of the default generator as parameters, or as this trace left it: its seed's key,
  // and how many keys were drawn.
  Tensor generator_seed();
  Tensor generator_draws();
  void set_generator_seed(const Tensor& seed);
  void set_generator_draws(const Tensor& draws);

  const ir::Graph& graph() const { return graph_; }
  // A node as it is given: the only way by which others write into the graph.
  ir::NodeId append_node(const OpDef& op, const ir::ValueIds& in, Shared<const AnyAttrs> attrs,
                         const Types& out, const ir::NodeOptions& options);
  // While it is held the graph does not grow. One thread at a time makes a graph grow; others that
  // read it meanwhile, to make a run ready, hold this.
  std::unique_lock<Mutex> still() const { return std::unique_lock(growth_); }
  // How often symbols of the graph took other names or sizes, by which types that were read before
  // are out of date.
  uint64_t renamings() const { return renamings_.load(std::memory_order_acquire); }
  std::vector<Captured>& captured() { return captured_; }
  const std::vector<ir::Assumption>& assumptions() const { return assumptions_; }
  const std::vector<DimBinding>& hints() const {
    return outer_ == nullptr ? hints_ : outer_->hints();
  }
  Kind kind() const { return kind_; }
  Shared<Staging> shared() const { return self_.lock(); }

 private:
  friend class StagingScope;

  // The line that what is added comes from, for as long as it lives.
  class LineIs {
   public:
    LineIs(Where& now, Where line) : now_(now), outer_(std::exchange(now, line)) {}
    ~LineIs() { now_ = outer_; }
    LineIs(const LineIs&) = delete;
    LineIs& operator=(const LineIs&) = delete;

   private:
    Where& now_;
    const Where outer_;
  };

  Staging(Kind kind, Staging* outer);
  // The edge that stands for a tensor already; kNone if none does.
  ir::ValueId known_value(const Tensor& tensor) const;
  // The edge that stands for another tensor which is the same value outside; kNone if none does.
  ir::ValueId same_outside(const Tensor& tensor) const;
  // Are two tensors one value here, by whatever handles they are met?
  bool are_one(const Tensor& a, const Tensor& b) const;
  Tensor carrier_of(Dim symbol);
  Captured* find_captured(Captured::Kind kind);
  void read_generator();
  void set_captured(Captured::Kind kind, const Tensor& value);
  Captured& capture(Captured::Kind kind, const Tensor& value, const Variable& variable);
  Tensor read_of(const Variable& variable, ir::ValueId id);
  Tensor below(Tensor value) const;
  void assign(const Variable& variable, const Tensor& value, bool with_maker, Where where);
  ir::NodeId add_node(const OpDef& op, const ir::ValueIds& in, Shared<const AnyAttrs> attrs,
                      Types out, Where where);
  const Staging& outermost() const { return outer_ == nullptr ? *this : outer_->outermost(); }
  Staging& outermost() { return outer_ == nullptr ? *this : outer_->outermost(); }
  bool has_size(Dim symbol) const;
  bool is_nameless(Dim dim) const;
  Shared<const AnyAttrs> kept_attrs(const OpDef& op, const void* attrs);
  void rename(Dim symbol, Dim name);
  Dim renamed(Dim dim) const;
  Type renamed(Type type) const;
  void assume(Dim a, ir::Assumption::Relation relation, Dim b);
  std::optional<int64_t> hinted(Dim dim) const;
  void name_found_sizes(Types& out);

  const Kind kind_;
  Staging* const outer_;
  Weak<Staging> self_;
  mutable Mutex growth_;  // held while the graph and what it assumes are changed
  std::atomic<uint64_t> renamings_ = 0;
  ir::Graph graph_;
  std::vector<Captured> captured_;
  std::vector<GraphVariable> variables_;
  std::unordered_set<const void*> variable_ids_;
  // One tensor for all reads of a Variable until it is written: tapes tell a value by its node.
  // Only while a scope is open, because tensors hold the graph.
  std::unordered_map<const void*, Tensor> reads_;
  int open_scopes_ = 0;
  std::unordered_map<const TensorNode*, ir::ValueId> known_;  // constants and captured tensors
  std::vector<Tensor> kept_;                                  // whose nodes are keys of known_
  std::vector<std::pair<Tensor, ir::ValueId>> standing_;      // by let_stand_for
  std::vector<DimBinding> hints_;
  std::vector<ir::Assumption> assumptions_;
  std::vector<DimBinding> renames_;  // symbols that tensors made before may still have
  std::map<std::string, Dim, std::less<>> names_;            // by the user
  std::unordered_map<const void*, ir::NodeId> last_effect_;  // by resource
  std::unordered_map<ir::NodeId, ir::NodeIds> writes_;       // by the op whose they are
  Where now_;  // the line of the op that is being added
  uint32_t found_sizes_ = 0;
};

// Opens it on this thread: every op is staged, and sizes are decided by it.
class StagingScope {
 public:
  explicit StagingScope(Staging& staging)
      : staging_(staging.shared()), level_(staging, /*takes_all=*/true), oracle_(&staging) {
    ++staging_->open_scopes_;
  }
  ~StagingScope() {
    if (--staging_->open_scopes_ == 0) staging_->reads_.clear();
  }
  StagingScope(const StagingScope&) = delete;
  StagingScope& operator=(const StagingScope&) = delete;

 private:
  const Shared<Staging> staging_;
  LevelScope level_;
  DimOracleIs oracle_;
};

// A custom function or a checkpoint, whose attribute is a callable of the program that traces:
// staged as a call of what it does (defined by control/).
Tensors staged_host_call(Staging& staging, const OpDef& op, TensorSpan in, const void* attrs,
                         Where where);

// The edge of a tensor that is a value of this very graph, or kNone.
ir::ValueId staged_value(const Tensor& tensor, const Staging& staging);
// The innermost one that is open on this thread; null: none, or an EagerScope inside of it.
Staging* innermost_staging();
// The graph a tensor is a value of; null: none.
Staging* staging_of(const Tensor& tensor);

}  // namespace weft
