"""Losses: ours and PyTorch's, each with every reduction; JAX has none of its own."""

import torch
import torch.nn.functional as F
from vocabulary import (Input, away_from_zero, between, call, entry, given, integers, ints, normal,
                        positive)

REDUCTIONS = ("mean", "sum", "none")


def signs(*shape):
    """-1 or 1, as floats."""
    return Input(lambda g: g.choice([-1.0, 1.0], shape), differentiated=False)


def probability(*shape):
    return between(0.05, 0.95, *shape)


def distribution(*shape):
    def draw(g):
        x = g.uniform(0.1, 1.0, shape)
        return x / x.sum(-1, keepdims=True)

    return Input(draw)


def every_reduction(*args, **options):
    return [call(*args, **options, reduction=reduction) for reduction in REDUCTIONS]


def loss(name, theirs, args, *more, **rest):
    """All reductions of one call, the default, and a reduction that there is not."""
    wrong = rest.pop("wrong", [])
    return entry(f"nn.{name}", theirs, None, call(*args), *every_reduction(*args), *more,
                 wrong=[call(*args, reduction="most"), *wrong], **rest)


def classes(function):
    """PyTorch has the classes on axis 1 and ignores -100; ours the last, and none, unless said."""
    def compared(x, target, weight=None, axis=-1, ignore_index=None, **rest):
        moved = x.movedim(axis, 1) if x.dim() > 1 else x
        if target.is_floating_point() and x.dim() > 1:
            target = target.movedim(axis, 1)
        return function(moved, target, weight,
            ignore_index=-100 if ignore_index is None else ignore_index, **rest)

    return compared


LOGITS, CLASSES = normal(5, 4), integers(0, 4, 5)
NUMBERED = [
    *every_reduction(LOGITS, CLASSES), *every_reduction(LOGITS, CLASSES, positive(4).fixed()),
    *every_reduction(LOGITS, ints([0, 3, 1, 3, 2]), positive(4).fixed(), ignore_index=3),
    call(normal(2, 4, 3), integers(0, 4, 2, 3), axis=1), call(normal(4), integers(0, 4)),
]
SMOOTH = [call(LOGITS, CLASSES, label_smoothing=0.1), call(LOGITS, distribution(5, 4).fixed()),
          call(LOGITS, distribution(5, 4).fixed(), positive(4).fixed(), label_smoothing=0.25,
               reduction="sum"),
          call(LOGITS, distribution(5, 4).fixed(), label_smoothing=0.2, dtypes=("float64",)),
          call(LOGITS, CLASSES, positive(4).fixed(), label_smoothing=0.3, ignore_index=1)]
WRONG_CLASSES = [call(LOGITS, ints([0, 1, 2, 3, 4])), call(LOGITS, integers(0, 4, 4)),
    call(LOGITS, CLASSES, positive(3)), call(LOGITS, CLASSES, reduction="most")]

PAIR = (normal(3, 4), normal(3, 4))
ENTRIES = [
    entry("nn.cross_entropy", classes(F.cross_entropy), None, *NUMBERED, *SMOOTH,
          wrong=WRONG_CLASSES),
    entry("nn.nll_loss", classes(F.nll_loss), None, *NUMBERED, wrong=WRONG_CLASSES),
    loss("mse_loss", F.mse_loss, PAIR),
    loss("l1_loss", F.l1_loss, PAIR),
    loss("huber_loss", F.huber_loss, PAIR, call(*PAIR, delta=0.6)),
    loss("smooth_l1_loss", F.smooth_l1_loss, PAIR, call(*PAIR, beta=0.4), call(*PAIR, beta=0.0)),
    loss("binary_cross_entropy", F.binary_cross_entropy,
        (probability(3, 4), probability(3, 4).fixed()),
        call(probability(3, 4), probability(3, 4).fixed(), positive(3, 4).fixed()),
        call(given([0.0, 1.0]), given([0.0, 1.0]).fixed(), grad=False)),
    loss("binary_cross_entropy_with_logits", F.binary_cross_entropy_with_logits,
        (normal(3, 4), probability(3, 4).fixed()),
        call(normal(3, 4), probability(3, 4).fixed(), positive(3, 4).fixed()),
        call(normal(3, 4), probability(3, 4).fixed(), pos_weight=positive(4).fixed()),
        call(given([-900.0, 900.0]), given([0.0, 1.0]).fixed())),
    loss("kl_div", F.kl_div, (normal(3, 4), distribution(3, 4)),
        call(normal(3, 4), normal(3, 4), log_target=True),
        call(normal(3, 4), distribution(3, 4), reduction="batchmean")),
    entry("nn.hinge_loss", lambda x, y, reduction="mean": (lambda each: each if reduction == "none"
          else getattr(each, reduction)())(torch.relu(1 - x * y)), None,
          call(normal(3, 4), signs(3, 4)), *every_reduction(normal(3, 4), signs(3, 4)),
          wrong=[call(*PAIR, reduction="most")],
          why="Keras' hinge; PyTorch's hinge_embedding_loss is another"),
    loss("margin_ranking_loss", F.margin_ranking_loss, (normal(5), normal(5), signs(5)),
         call(normal(5), normal(5), signs(5), margin=0.3)),
    loss("triplet_margin_loss", F.triplet_margin_loss, (normal(3, 4), normal(3, 4), normal(3, 4)),
         call(normal(3, 4), normal(3, 4), normal(3, 4), margin=1.9, p=2.7),
         call(normal(3, 4), normal(3, 4), normal(3, 4), swap=True)),
    loss("cosine_embedding_loss", F.cosine_embedding_loss, (normal(3, 4), normal(3, 4), signs(3)),
        call(normal(3, 4), normal(3, 4), signs(3), margin=0.2), looser=4,
        why="PyTorch adds 1e-12 to the squares"),
    loss("poisson_nll_loss", F.poisson_nll_loss, (normal(3, 4), positive(3, 4).fixed()),
         call(positive(3, 4), positive(3, 4).fixed(), log_input=False, eps=1e-3),
         call(normal(3, 4), given([[0.5, 1.0, 2.0, 5.0]] * 3).fixed(), full=True)),
    loss("gaussian_nll_loss", F.gaussian_nll_loss, (normal(3, 4), normal(3, 4), positive(3, 4)),
         call(normal(3, 4), normal(3, 4), positive(3, 1), full=True),
         call(normal(3, 4), normal(3, 4), given([[1e-4], [1.0], [2.0]]).fixed(), eps=1e-2)),
    entry("nn.cosine_similarity", lambda a, b, axis=-1, eps=1e-8: F.cosine_similarity(a, b, axis,
          eps), None, call(normal(3, 4), normal(3, 4)), call(normal(3, 4), normal(3, 4), axis=0),
          call(normal(2, 1, 4), normal(3, 4)),
          call(given([[0.0, 0.0], [1e-3, 0.0]]), given([[1.0, 0.0], [1e-3, 0.0]]), eps=1e-2,
          grad=False), wrong=[call(normal(3), normal(4))]),
    entry("nn.cdist", torch.cdist, None, call(normal(3, 4), normal(5, 4)),
          call(normal(2, 3, 4), normal(5, 4)),
          *(call(normal(3, 4), normal(5, 4), p=p) for p in (1.0, 1.5, float("inf"))),
          wrong=[call(normal(3, 4), normal(5, 3)), call(normal(3), normal(3))], torch_looser=8,
          why="PyTorch may expand the square"),
    entry("nn.normalize", lambda x, p=2.0, axis=1, eps=1e-12: F.normalize(x, p, axis, eps), None,
          call(away_from_zero(3, 4)), call(away_from_zero(3, 4), p=1.0, axis=0),
          call(away_from_zero(3, 4), p=2.7, axis=-1, eps=1e-3), wrong=[call(normal(3))]),
]
