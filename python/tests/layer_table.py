"""Every layer of wf.nn: how it is made, with its input size and without, and what it is called with."""

import weft as wf
from weft import nn


def _x(*shape):
    return lambda: wf.random.normal(wf.random.Key(7), shape)


def _indices(*shape):
    return lambda: wf.random.randint(wf.random.Key(7), 0, 6, shape)


class Row:
    """A layer: `make` gives it, `lazy` the same without its input size, `inputs` give what it is called with."""

    def __init__(self, make, *inputs, lazy=None):
        self.make, self.lazy, self._inputs = make, lazy, inputs

    def inputs(self):
        return [one() for one in self._inputs]


ROWS = {
    "Linear": Row(lambda: nn.Linear(5, 3), _x(2, 5), lazy=lambda: nn.Linear(None, 3)),
    "Linear without bias": Row(lambda: nn.Linear(5, 3, bias=False), _x(2, 4, 5)),
    "Bilinear": Row(lambda: nn.Bilinear(3, 4, 2), _x(2, 3), _x(2, 4), lazy=lambda: nn.Bilinear(None, None, 2)),
    "Identity": Row(nn.Identity, _x(2, 3)),
    "Conv1d": Row(lambda: nn.Conv1d(4, 6, 3, stride=2, padding=1), _x(2, 4, 9), lazy=lambda: nn.Conv1d(None, 6, 3, stride=2, padding=1)),
    "Conv2d": Row(lambda: nn.Conv2d(4, 6, 3, padding=1), _x(2, 4, 6, 5), lazy=lambda: nn.Conv2d(None, 6, 3, padding=1)),
    "Conv2d reflecting": Row(lambda: nn.Conv2d(4, 6, 3, padding=(1, 2), padding_mode="reflect"), _x(2, 4, 6, 5)),
    "Conv2d of the same size": Row(lambda: nn.Conv2d(4, 6, (2, 3), padding="same", padding_mode="replicate"), _x(2, 4, 6, 5)),
    "Conv1d in a circle": Row(lambda: nn.Conv1d(3, 4, 3, stride=2, padding=2, padding_mode="circular"), _x(2, 3, 7)),
    "BatchNorm1d over all batches": Row(lambda: nn.BatchNorm1d(3, momentum=None), _x(4, 3, 5)),
    "Conv2d in groups": Row(lambda: nn.Conv2d(4, 6, (3, 1), groups=2, bias=False), _x(2, 4, 6, 5),
                            lazy=lambda: nn.Conv2d(None, 6, (3, 1), groups=2, bias=False)),
    "Conv3d": Row(lambda: nn.Conv3d(2, 3, 2), _x(1, 2, 3, 4, 3), lazy=lambda: nn.Conv3d(None, 3, 2)),
    "ConvTranspose1d": Row(lambda: nn.ConvTranspose1d(4, 6, 3, stride=2), _x(2, 4, 5), lazy=lambda: nn.ConvTranspose1d(None, 6, 3, stride=2)),
    "ConvTranspose2d": Row(lambda: nn.ConvTranspose2d(4, 6, 3, stride=2, padding=1, output_padding=1), _x(2, 4, 5, 4),
                           lazy=lambda: nn.ConvTranspose2d(None, 6, 3, stride=2, padding=1, output_padding=1)),
    "ConvTranspose3d": Row(lambda: nn.ConvTranspose3d(2, 3, 2), _x(1, 2, 3, 2, 3), lazy=lambda: nn.ConvTranspose3d(None, 3, 2)),
    "MaxPool1d": Row(lambda: nn.MaxPool1d(2), _x(2, 3, 8)),
    "MaxPool2d": Row(lambda: nn.MaxPool2d(3, 2, 1), _x(2, 3, 8, 7)),
    "MaxPool3d": Row(lambda: nn.MaxPool3d(2), _x(1, 2, 4, 4, 4)),
    "AvgPool1d": Row(lambda: nn.AvgPool1d(2), _x(2, 3, 8)),
    "AvgPool2d": Row(lambda: nn.AvgPool2d(3, 2, 1), _x(2, 3, 8, 7)),
    "AvgPool3d": Row(lambda: nn.AvgPool3d(2), _x(1, 2, 4, 4, 4)),
    "AdaptiveAvgPool1d": Row(lambda: nn.AdaptiveAvgPool1d(3), _x(2, 3, 8)),
    "AdaptiveAvgPool2d": Row(lambda: nn.AdaptiveAvgPool2d((3, 2)), _x(2, 3, 8, 7)),
    "AdaptiveAvgPool3d": Row(lambda: nn.AdaptiveAvgPool3d(2), _x(1, 2, 4, 5, 4)),
    "AdaptiveMaxPool1d": Row(lambda: nn.AdaptiveMaxPool1d(3), _x(2, 3, 8)),
    "AdaptiveMaxPool2d": Row(lambda: nn.AdaptiveMaxPool2d((3, 2)), _x(2, 3, 8, 7)),
    "AdaptiveMaxPool3d": Row(lambda: nn.AdaptiveMaxPool3d(2), _x(1, 2, 4, 5, 4)),
    "BatchNorm1d": Row(lambda: nn.BatchNorm1d(3), _x(6, 3), lazy=lambda: nn.BatchNorm1d()),
    "BatchNorm2d": Row(lambda: nn.BatchNorm2d(3, eps=1e-3, momentum=0.3), _x(4, 3, 5, 5), lazy=lambda: nn.BatchNorm2d(eps=1e-3, momentum=0.3)),
    "BatchNorm3d": Row(lambda: nn.BatchNorm3d(2), _x(2, 2, 3, 3, 3), lazy=lambda: nn.BatchNorm3d()),
    "LayerNorm": Row(lambda: nn.LayerNorm(6), _x(2, 3, 6), lazy=lambda: nn.LayerNorm()),
    "LayerNorm of two axes": Row(lambda: nn.LayerNorm((3, 6)), _x(2, 3, 6), lazy=lambda: nn.LayerNorm((3, None))),
    "RMSNorm": Row(lambda: nn.RMSNorm(6), _x(2, 3, 6), lazy=lambda: nn.RMSNorm()),
    "GroupNorm": Row(lambda: nn.GroupNorm(2, 6), _x(2, 6, 4), lazy=lambda: nn.GroupNorm(2)),
    "InstanceNorm1d": Row(lambda: nn.InstanceNorm1d(3, affine=True), _x(2, 3, 5), lazy=lambda: nn.InstanceNorm1d(affine=True)),
    "InstanceNorm2d": Row(lambda: nn.InstanceNorm2d(3), _x(2, 3, 5, 4)),
    "InstanceNorm3d": Row(lambda: nn.InstanceNorm3d(2, affine=True), _x(2, 2, 3, 3, 3)),
    "Embedding": Row(lambda: nn.Embedding(6, 4, padding_idx=0), _indices(2, 5)),
    "EmbeddingBag": Row(lambda: nn.EmbeddingBag(6, 4, mode="sum"), _indices(2, 5)),
    "MultiheadAttention": Row(lambda: nn.MultiheadAttention(8, 2, batch_first=True), *[_x(2, 5, 8)] * 3),
    "MultiheadAttention of other sizes": Row(lambda: nn.MultiheadAttention(8, 2, kdim=6, vdim=4), _x(5, 2, 8), _x(3, 2, 6), _x(3, 2, 4)),
    "TransformerEncoderLayer": Row(lambda: nn.TransformerEncoderLayer(8, 2, 16, dropout=0.0, batch_first=True), _x(2, 5, 8)),
    "TransformerEncoder": Row(lambda: nn.TransformerEncoder(nn.TransformerEncoderLayer(8, 2, 16, 0.0, "gelu", norm_first=True), 2,
                                                            nn.LayerNorm(8)), _x(5, 2, 8)),
    "TransformerDecoderLayer": Row(lambda: nn.TransformerDecoderLayer(8, 2, 16, dropout=0.0), _x(5, 2, 8), _x(3, 2, 8)),
    "TransformerDecoder": Row(lambda: nn.TransformerDecoder(nn.TransformerDecoderLayer(8, 2, 16, 0.0), 2), _x(5, 2, 8), _x(3, 2, 8)),
    "RNN": Row(lambda: nn.RNN(4, 3, nonlinearity="relu"), _x(5, 2, 4), lazy=lambda: nn.RNN(None, 3, nonlinearity="relu")),
    "GRU": Row(lambda: nn.GRU(4, 3, num_layers=2, batch_first=True), _x(2, 5, 4), lazy=lambda: nn.GRU(None, 3, num_layers=2, batch_first=True)),
    "LSTM": Row(lambda: nn.LSTM(4, 3, num_layers=2, bidirectional=True), _x(5, 2, 4),
                lazy=lambda: nn.LSTM(None, 3, num_layers=2, bidirectional=True)),
    "LSTM without bias": Row(lambda: nn.LSTM(4, 3, bias=False), _x(5, 2, 4)),
    "RNNCell": Row(lambda: nn.RNNCell(4, 3), _x(2, 4), _x(2, 3), lazy=lambda: nn.RNNCell(None, 3)),
    "GRUCell": Row(lambda: nn.GRUCell(4, 3), _x(2, 4), _x(2, 3), lazy=lambda: nn.GRUCell(None, 3)),
    "LSTMCell": Row(lambda: nn.LSTMCell(4, 3), _x(2, 4), lambda: (_x(2, 3)(), _x(2, 3)()), lazy=lambda: nn.LSTMCell(None, 3)),
    "PReLU": Row(lambda: nn.PReLU(3), _x(2, 3, 4), lazy=lambda: nn.PReLU(None)),
    "Dropout": Row(lambda: nn.Dropout(0.3), _x(4, 5)),
    "Dropout1d": Row(lambda: nn.Dropout1d(0.3), _x(4, 5, 2)),
    "Dropout2d": Row(lambda: nn.Dropout2d(0.3), _x(4, 5, 2, 2)),
    "Dropout3d": Row(lambda: nn.Dropout3d(0.3), _x(4, 5, 2, 2, 2)),
    "AlphaDropout": Row(lambda: nn.AlphaDropout(0.3), _x(4, 5)),
    "Flatten": Row(nn.Flatten, _x(2, 3, 4)),
    "Unflatten": Row(lambda: nn.Unflatten(1, (2, 3)), _x(2, 6, 4)),
    "Upsample": Row(lambda: nn.Upsample(scale_factor=2.0, mode="bilinear"), _x(1, 2, 3, 4)),
    "PixelShuffle": Row(lambda: nn.PixelShuffle(2), _x(1, 8, 3, 3)),
    "PixelUnshuffle": Row(lambda: nn.PixelUnshuffle(2), _x(1, 2, 4, 6)),
    "Unfold": Row(lambda: nn.Unfold((2, 3)), _x(1, 2, 5, 5)),
    "Fold": Row(lambda: nn.Fold((4, 5), (2, 3)), _x(1, 12, 9)),
    "CosineSimilarity": Row(nn.CosineSimilarity, _x(3, 4), _x(3, 4)),
}

ACTIVATIONS = ("ReLU", "ReLU6", "LeakyReLU", "ELU", "CELU", "SELU", "GELU", "GLU", "SwiGLU", "SiLU", "Mish", "Hardsigmoid",
               "Hardswish", "Hardtanh", "LogSigmoid", "LogSoftmax", "Softmax", "Softplus", "Softsign", "Sigmoid", "Tanh", "Threshold")
ROWS |= {name: Row(getattr(nn, name), _x(3, 4)) for name in ACTIVATIONS}


def _probabilities():
    return wf.sigmoid(wf.random.normal(wf.random.Key(3), (4, 3)))


def _signs():
    return wf.tensor([1.0, -1.0, 1.0, -1.0])


def _classes():
    return wf.tensor([0, 2, 1, 2])


ROWS |= {
    "Lambda": Row(lambda: nn.Lambda(lambda x: wf.tanh(x) * 2), _x(4, 3)),
    "CrossEntropyLoss": Row(lambda: nn.CrossEntropyLoss(label_smoothing=0.1, weight=wf.tensor([1.0, 2.0, 0.5])), _x(4, 3), _classes),
    "NLLLoss": Row(nn.NLLLoss, lambda: wf.log_softmax(_x(4, 3)()), _classes),
    "BCELoss": Row(nn.BCELoss, _probabilities, _probabilities),
    "BCEWithLogitsLoss": Row(lambda: nn.BCEWithLogitsLoss(pos_weight=wf.tensor([1.0, 2.0, 3.0])), _x(4, 3), _probabilities),
    "MSELoss": Row(lambda: nn.MSELoss(reduction="sum"), _x(4, 3), _probabilities),
    "L1Loss": Row(nn.L1Loss, _x(4, 3), _probabilities),
    "SmoothL1Loss": Row(nn.SmoothL1Loss, _x(4, 3), _probabilities),
    "HuberLoss": Row(lambda: nn.HuberLoss(delta=0.5), _x(4, 3), _probabilities),
    "KLDivLoss": Row(nn.KLDivLoss, lambda: wf.log_softmax(_x(4, 3)()), lambda: wf.softmax(_probabilities())),
    "PoissonNLLLoss": Row(nn.PoissonNLLLoss, _x(4, 3), _probabilities),
    "GaussianNLLLoss": Row(nn.GaussianNLLLoss, _x(4, 3), _probabilities, _probabilities),
    "HingeLoss": Row(nn.HingeLoss, _x(4), _signs),
    "MarginRankingLoss": Row(lambda: nn.MarginRankingLoss(margin=0.1), _x(4), lambda: _probabilities().mean(axis=1), _signs),
    "CosineEmbeddingLoss": Row(nn.CosineEmbeddingLoss, _x(4, 3), _probabilities, _signs),
    "TripletMarginLoss": Row(nn.TripletMarginLoss, _x(4, 3), _probabilities, lambda: -_probabilities()),
}
