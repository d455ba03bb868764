// Layers watched while they are called, to find the one that an error begins with.
#include "weft/train/blame.h"

#include <algorithm>

#include "weft/base/error.h"
#include "weft/op/levels.h"
#include "weft/trace/eager_scope.h"

namespace weft::train {
namespace {

// Axes of space by type; 0: it is no convolution.
int64_t axes_of(std::string_view type) {
  constexpr std::string_view kTypes[] = {"Conv", "ConvTranspose"};
  for (const std::string_view one : kTypes) {
    if (type.size() == one.size() + 2 && type.starts_with(one) && type.ends_with('d')) {
      return type[one.size()] - '0';
    }
  }
  return 0;
}

std::string path_in_quotes(const std::string& path) {
  return path.empty() ? "" : text(" '", path, "'");
}

// Looks at calls of convolutions as long as it lives.
class Watch {
 public:
  Watch(nn::ModuleBase& root, const Batch& batch, std::string_view who, bool only_pending)
      : count_(batch.count()), who_(who) {
    for (const auto& [path, module] : root.named_modules()) {
      const int64_t axes = axes_of(module->type_name());
      if (axes == 0 || (only_pending && !module->is_pending())) continue;
      const std::string layer = module->type_name() + path_in_quotes(path);
      const auto seen = [this, axes, layer](TensorSpan inputs) {
        if (!inputs.empty()) look(axes, layer, inputs[0]);
      };
      // What a convolution itself says of its input comes first, unless it would learn of it.
      hooks_.push_back(
          only_pending
              ? module->register_forward_pre_hook(
                    [seen](const nn::ModuleBase&, TensorSpan inputs) { seen(inputs); })
              : module->register_forward_hook([seen](const nn::ModuleBase&, TensorSpan inputs,
                                                     TensorSpan) { seen(inputs); }));
    }
    raises_ = only_pending;
  }
  ~Watch() {
    for (const nn::Hook& hook : hooks_) hook.remove();
  }
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;

  void tell() const {
    if (!found_.empty()) fail(Code::kInvalid, who_, "channels", found_);
  }

 private:
  void look(int64_t axes, const std::string& layer, const Tensor& x) {
    if (x.rank() != axes + 1 || same(x.dim(0), count_) != Tri::kYes || !found_.empty()) return;
    found_ = text(layer, " was given a batch of shape ", x.shape(), ", and takes its ", count_,
                  " examples for channels; it needs an axis of channels after that of examples: "
                  "expand_dims(x, 1) makes one");
    if (raises_) tell();
  }

  const int64_t count_;
  const std::string who_;
  bool raises_ = false;
  std::vector<nn::Hook> hooks_;
  std::string found_;
};

}  // namespace

void learn_sizes(nn::ModuleBase& module, FlatFunction call, const Batch& first,
                 std::string_view who) {
  if (std::ranges::none_of(module.modules(), &nn::ModuleBase::is_pending)) return;
  const ModeIs evaluating(module, false);
  const NoGrad no_grad;
  const Watch watch(module, first, who, /*only_pending=*/true);
  call(first.x);
}

void told_of_layers(nn::ModuleBase& module, FlatFunction call, const Batch& batch,
                    std::string_view who, FunctionRef<void()> step) {
  try {
    step();
  } catch (const Error& error) {
    if (error.code == Code::kInterrupted) throw;
    const EagerScope now;
    const ModeIs evaluating(module, false);
    const NoGrad no_grad;
    const Watch watch(module, batch, who, /*only_pending=*/false);
    try {
      call(batch.x);  // raises what the model has to say, with sizes for a trace's symbols
    } catch (const Error&) {
      watch.tell();
      throw;
    }
    watch.tell();
    throw;
  }
}

void told_of_layers(const Compiled& compiled, const Batch& batch, std::string_view who,
                    FunctionRef<void()> step) {
  const auto call = [&](TensorSpan x) { return compiled.call(x); };
  told_of_layers(compiled.module(), call, batch, who, step);
}

}  // namespace weft::train
