"""Losses as modules: each calls the function of its name. Under mixed precision they are computed in float32."""

from ... import _core, _ops
from ..._hints import brief as _brief
from ..module import Module


class _Loss(Module):
    """A loss with options, which its `words` name with their defaults; the weights among them are buffers."""

    words = {}
    reductions = ()

    def __init__(self, **options):
        who = type(self).__name__
        for name in options:
            if name not in self.words:
                raise _core.WrongTypeError(f"{who}: has no argument '{name}'; its arguments are {', '.join(self.words)} "
                                           f"[{who}.keyword]")
        self._options = {name: options.get(name, usual) for name, usual in self.words.items()}
        self._check_reduction(self._options["reduction"])
        for name in ("weight", "pos_weight"):
            value = self._options.pop(name, None)
            if name in self.words:
                setattr(self, name, None)
            if value is not None:
                self.register_buffer(name, value)

    def _check_reduction(self, reduction):
        """Refuses in the constructor, and in its words, what the function would refuse in each call."""
        who = type(self).__name__
        if not isinstance(reduction, str):
            raise _core.WrongTypeError(f"{who}: reduction must be a string, but got {_brief(reduction)} [{who}.argument]")
        if reduction not in self.reductions:
            *first, last = [f'"{one}"' for one in self.reductions]
            raise _core.InvalidError(f'{who}: reduction is "{reduction}"; it must be {", ".join(first)} or {last} [{who}.reduction]')

    def forward(self, *args):
        return self._called(args, **self._options)

    def each(self, *args):
        """The losses of the examples, one by one."""
        return self._called(args, **{**self._options, "reduction": "none"})

    def _called(self, args, **options):
        if self.compute_dtype is not None:
            args = [x.astype(_core.float32) if x.dtype is self.compute_dtype else x for x in args]
        weights = {name: getattr(self, name) for name in ("weight", "pos_weight")
                   if name in self.words and getattr(self, name) is not None}
        return self.function(*args, **weights, **options)

    def extra_repr(self):
        return ", ".join(f"{name}={value!r}" for name, value in self._options.items() if value != self.words[name])


def _loss(name, op, *, reductions=("mean", "sum", "none"), **words):
    doc = f"The function nn.{op} as a module."
    return type(name, (_Loss,), {"function": staticmethod(_ops.op("nn", op)), "words": {**words, "reduction": "mean"},
                                 "reductions": reductions, "__doc__": doc, "__module__": __name__})


CrossEntropyLoss = _loss("CrossEntropyLoss", "cross_entropy", weight=None, axis=-1, label_smoothing=0.0, ignore_index=None)
NLLLoss = _loss("NLLLoss", "nll_loss", weight=None, axis=-1, ignore_index=None)
BCELoss = _loss("BCELoss", "binary_cross_entropy", weight=None)
BCEWithLogitsLoss = _loss("BCEWithLogitsLoss", "binary_cross_entropy_with_logits", weight=None, pos_weight=None)
MSELoss = _loss("MSELoss", "mse_loss")
L1Loss = _loss("L1Loss", "l1_loss")
SmoothL1Loss = _loss("SmoothL1Loss", "smooth_l1_loss", beta=1.0)
HuberLoss = _loss("HuberLoss", "huber_loss", delta=1.0)
KLDivLoss = _loss("KLDivLoss", "kl_div", reductions=("mean", "batchmean", "sum", "none"), log_target=False)
PoissonNLLLoss = _loss("PoissonNLLLoss", "poisson_nll_loss", log_input=True, full=False, eps=1e-8)
GaussianNLLLoss = _loss("GaussianNLLLoss", "gaussian_nll_loss", full=False, eps=1e-6)
HingeLoss = _loss("HingeLoss", "hinge_loss")
MarginRankingLoss = _loss("MarginRankingLoss", "margin_ranking_loss", margin=0.0)
CosineEmbeddingLoss = _loss("CosineEmbeddingLoss", "cosine_embedding_loss", margin=0.0)
TripletMarginLoss = _loss("TripletMarginLoss", "triplet_margin_loss", margin=1.0, p=2.0, swap=False)
