"""Every layer that PyTorch has too: its state dict loads as it is, and both give the same results and gradients.

Run by test_peers_layers.py in the peers' venv; prints what differs, and how many layers agree.
"""

import sys

import numpy as np
import torch
from torch import nn as T

import layer_table
import weft as wf

# How the rows of the table are made there.
THEIRS = {
    "Linear": lambda: T.Linear(5, 3),
    "Linear without bias": lambda: T.Linear(5, 3, bias=False),
    "Bilinear": lambda: T.Bilinear(3, 4, 2),
    "Conv1d": lambda: T.Conv1d(4, 6, 3, stride=2, padding=1),
    "Conv2d": lambda: T.Conv2d(4, 6, 3, padding=1),
    "Conv2d reflecting": lambda: T.Conv2d(4, 6, 3, padding=(1, 2), padding_mode="reflect"),
    "Conv2d of the same size": lambda: T.Conv2d(4, 6, (2, 3), padding="same", padding_mode="replicate"),
    "Conv1d in a circle": lambda: T.Conv1d(3, 4, 3, stride=2, padding=2, padding_mode="circular"),
    "BatchNorm1d over all batches": lambda: T.BatchNorm1d(3, momentum=None),
    "Conv2d in groups": lambda: T.Conv2d(4, 6, (3, 1), groups=2, bias=False),
    "Conv3d": lambda: T.Conv3d(2, 3, 2),
    "ConvTranspose1d": lambda: T.ConvTranspose1d(4, 6, 3, stride=2),
    "ConvTranspose2d": lambda: T.ConvTranspose2d(4, 6, 3, stride=2, padding=1, output_padding=1),
    "ConvTranspose3d": lambda: T.ConvTranspose3d(2, 3, 2),
    "MaxPool1d": lambda: T.MaxPool1d(2),
    "MaxPool2d": lambda: T.MaxPool2d(3, 2, 1),
    "MaxPool3d": lambda: T.MaxPool3d(2),
    "AvgPool1d": lambda: T.AvgPool1d(2),
    "AvgPool2d": lambda: T.AvgPool2d(3, 2, 1),
    "AvgPool3d": lambda: T.AvgPool3d(2),
    "AdaptiveAvgPool1d": lambda: T.AdaptiveAvgPool1d(3),
    "AdaptiveAvgPool2d": lambda: T.AdaptiveAvgPool2d((3, 2)),
    "AdaptiveAvgPool3d": lambda: T.AdaptiveAvgPool3d(2),
    "AdaptiveMaxPool1d": lambda: T.AdaptiveMaxPool1d(3),
    "AdaptiveMaxPool2d": lambda: T.AdaptiveMaxPool2d((3, 2)),
    "AdaptiveMaxPool3d": lambda: T.AdaptiveMaxPool3d(2),
    "BatchNorm1d": lambda: T.BatchNorm1d(3),
    "BatchNorm2d": lambda: T.BatchNorm2d(3, eps=1e-3, momentum=0.3),
    "BatchNorm3d": lambda: T.BatchNorm3d(2),
    "LayerNorm": lambda: T.LayerNorm(6),
    "LayerNorm of two axes": lambda: T.LayerNorm((3, 6)),
    "RMSNorm": lambda: T.RMSNorm(6, eps=1e-5),
    "GroupNorm": lambda: T.GroupNorm(2, 6),
    "InstanceNorm1d": lambda: T.InstanceNorm1d(3, affine=True),
    "InstanceNorm2d": lambda: T.InstanceNorm2d(3),
    "InstanceNorm3d": lambda: T.InstanceNorm3d(2, affine=True),
    "Embedding": lambda: T.Embedding(6, 4, padding_idx=0),
    "EmbeddingBag": lambda: T.EmbeddingBag(6, 4, mode="sum"),
    "MultiheadAttention": lambda: T.MultiheadAttention(8, 2, batch_first=True),
    "MultiheadAttention of other sizes": lambda: T.MultiheadAttention(8, 2, kdim=6, vdim=4),
    "TransformerEncoderLayer": lambda: T.TransformerEncoderLayer(8, 2, 16, dropout=0.0, batch_first=True),
    "TransformerEncoder": lambda: T.TransformerEncoder(T.TransformerEncoderLayer(8, 2, 16, 0.0, "gelu", norm_first=True), 2,
                                                       T.LayerNorm(8), enable_nested_tensor=False),
    "TransformerDecoderLayer": lambda: T.TransformerDecoderLayer(8, 2, 16, dropout=0.0),
    "TransformerDecoder": lambda: T.TransformerDecoder(T.TransformerDecoderLayer(8, 2, 16, 0.0), 2),
    "RNN": lambda: T.RNN(4, 3, nonlinearity="relu"),
    "GRU": lambda: T.GRU(4, 3, num_layers=2, batch_first=True),
    "LSTM": lambda: T.LSTM(4, 3, num_layers=2, bidirectional=True),
    "LSTM without bias": lambda: T.LSTM(4, 3, bias=False),
    "RNNCell": lambda: T.RNNCell(4, 3),
    "GRUCell": lambda: T.GRUCell(4, 3),
    "LSTMCell": lambda: T.LSTMCell(4, 3),
    "PReLU": lambda: T.PReLU(3),
    "Flatten": T.Flatten,
    "Unflatten": lambda: T.Unflatten(1, (2, 3)),
    "Upsample": lambda: T.Upsample(scale_factor=2.0, mode="bilinear"),
    "PixelShuffle": lambda: T.PixelShuffle(2),
    "PixelUnshuffle": lambda: T.PixelUnshuffle(2),
    "Unfold": lambda: T.Unfold((2, 3)),
    "Fold": lambda: T.Fold((4, 5), (2, 3)),
    "CosineSimilarity": T.CosineSimilarity,
    "CrossEntropyLoss": lambda: T.CrossEntropyLoss(label_smoothing=0.1, weight=torch.tensor([1.0, 2.0, 0.5])),
    "NLLLoss": T.NLLLoss,
    "BCELoss": T.BCELoss,
    "BCEWithLogitsLoss": lambda: T.BCEWithLogitsLoss(pos_weight=torch.tensor([1.0, 2.0, 3.0])),
    "MSELoss": lambda: T.MSELoss(reduction="sum"),
    "L1Loss": T.L1Loss,
    "SmoothL1Loss": T.SmoothL1Loss,
    "HuberLoss": lambda: T.HuberLoss(delta=0.5),
    "KLDivLoss": T.KLDivLoss,
    "PoissonNLLLoss": T.PoissonNLLLoss,
    "GaussianNLLLoss": T.GaussianNLLLoss,
    "MarginRankingLoss": lambda: T.MarginRankingLoss(margin=0.1),
    "CosineEmbeddingLoss": T.CosineEmbeddingLoss,
    "TripletMarginLoss": T.TripletMarginLoss,
    "GLU": T.GLU,
    "Softmax": lambda: T.Softmax(dim=-1),
    "LogSoftmax": lambda: T.LogSoftmax(dim=-1),
    "Threshold": lambda: T.Threshold(0.0, 0.0),
}
NOT_THERE = {"Lambda", "Identity", "SwiGLU", "HingeLoss", "Dropout", "Dropout1d", "Dropout2d", "Dropout3d", "AlphaDropout"}  # or draws
THEIRS |= {name: getattr(T, {"LogSigmoid": "LogSigmoid"}.get(name, name)) for name in layer_table.ACTIVATIONS
           if name not in THEIRS and name not in NOT_THERE}


def leaves(tree):
    if isinstance(tree, (tuple, list)):
        return [leaf for one in tree for leaf in leaves(one)]
    return [] if tree is None else [tree]


def to_torch(x):
    return tuple(map(to_torch, x)) if isinstance(x, tuple) else torch.from_numpy(np.array(x.numpy()))


def compare(name):
    """What differs between both layers of a row, as texts."""
    theirs, row = THEIRS[name](), layer_table.ROWS[name]
    ours, inputs = row.make(), row.inputs()
    state = {key: value.detach().numpy() for key, value in theirs.state_dict().items()}
    report = ours.load_state_dict(state)
    problems = [] if report else [f"{name}: {report}"]
    for mode in (True, False):
        ours.train(mode), theirs.train(mode)
        a = leaves(ours(*inputs))
        b = [x for x in leaves(theirs(*map(to_torch, inputs)))]
        if "Attention" in name:
            a, b = a[:1], b[:1]
        for k, (x, y) in enumerate(zip(a, b)):
            if not np.allclose(x.numpy(), y.detach().numpy(), rtol=2e-5, atol=2e-6):
                problems.append(f"{name}: result {k} differs by {np.abs(x.numpy() - y.detach().numpy()).max()}, training={mode}")
        if mode and ours.parameters():
            sum((wf.sum(wf.sin(x)) for x in a), wf.tensor(0.0)).backward()
            sum(torch.sum(torch.sin(y)) for y in b).backward()
            slopes = dict(theirs.named_parameters())
            for key, v in ours.named_parameters():
                x, y = v.grad.numpy(), slopes[key].grad.numpy()
                if not np.allclose(x, y, rtol=1e-4, atol=1e-5):
                    problems.append(f"{name}: the gradient of {key} differs by {np.abs(x - y).max()}")
    after = {key: value.detach().numpy() for key, value in theirs.state_dict().items()}
    for key, value in ours.state_dict().items():  # running statistics
        if not np.allclose(value.numpy(), after[key], rtol=1e-5, atol=1e-6):
            problems.append(f"{name}: afterwards {key} differs")
    return problems


def main():
    problems = [f"{name}: has no row" for name in layer_table.ROWS if name not in THEIRS and name not in NOT_THERE]
    for name in THEIRS:
        problems += compare(name)
    print("\n".join(problems))
    print(f"{len(THEIRS)} layers, {len(problems)} differences")
    return len(problems) > 0


if __name__ == "__main__":
    sys.exit(main())
