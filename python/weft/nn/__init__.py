"""Neural networks: the functions, and modules that hold their parameters.

>>> model = wf.nn.Sequential([wf.nn.Linear(4, 8), wf.nn.ReLU(), wf.nn.Linear(8, 2)])
>>> model(wf.ones((3, 4))).shape
(3, 2)
"""

from .. import _hints, _ops

_ops.fill("nn", globals())
_ops.add_shortcuts(globals(), ("layer_norm", "one_hot"))

from . import init  # noqa: E402
from .layers.activation import (CELU, ELU, GELU, GLU, SELU, Hardsigmoid, Hardswish, Hardtanh, LeakyReLU,  # noqa: E402
                                LogSigmoid, LogSoftmax, Mish, PReLU, ReLU, ReLU6, Sigmoid, SiLU, Softmax, Softplus, Softsign,
                                SwiGLU, Tanh, Threshold)
from .layers.attention import MultiheadAttention  # noqa: E402
from .containers import ModuleDict, ModuleList, Sequential  # noqa: E402
from .layers.conv import Conv1d, Conv2d, Conv3d, ConvTranspose1d, ConvTranspose2d, ConvTranspose3d  # noqa: E402
from .layers.dropout import AlphaDropout, Dropout, Dropout1d, Dropout2d, Dropout3d  # noqa: E402
from .layers.embedding import Embedding, EmbeddingBag  # noqa: E402
from .functional_call import functional_call  # noqa: E402
from .graph import Input, Lambda, Model  # noqa: E402
from .layers.linear import Bilinear, Identity, Linear  # noqa: E402
from .layers.loss import (BCELoss, BCEWithLogitsLoss, CosineEmbeddingLoss, CrossEntropyLoss, GaussianNLLLoss,  # noqa: E402
                          HingeLoss, HuberLoss, KLDivLoss, L1Loss, MarginRankingLoss, MSELoss, NLLLoss, PoissonNLLLoss,
                          SmoothL1Loss, TripletMarginLoss)
from .module import Module, _Elsewhere  # noqa: E402
from .layers.norm import (BatchNorm1d, BatchNorm2d, BatchNorm3d, GroupNorm, InstanceNorm1d, InstanceNorm2d,  # noqa: E402
                          InstanceNorm3d, LayerNorm, RMSNorm)
from .layers.pool import (AdaptiveAvgPool1d, AdaptiveAvgPool2d, AdaptiveAvgPool3d, AdaptiveMaxPool1d,  # noqa: E402
                          AdaptiveMaxPool2d, AdaptiveMaxPool3d, AvgPool1d, AvgPool2d, AvgPool3d, MaxPool1d, MaxPool2d, MaxPool3d)
from .layers.recurrent import GRU, LSTM, RNN, GRUCell, LSTMCell, RNNCell  # noqa: E402
from .layers.shape import (CosineSimilarity, Flatten, Fold, PixelShuffle, PixelUnshuffle, Unflatten, Unfold,  # noqa: E402
                           Upsample)
from .layers.transformer import (TransformerDecoder, TransformerDecoderLayer, TransformerEncoder,  # noqa: E402
                                 TransformerEncoderLayer)

# Attributes of Keras models that Weft lacks. Attributes of user modules take precedence.
for _name, _instead in {
    "layers": "use model.children(), or model.named_modules() for those below, too",
    "weights": "use model.state_dict(), or model.parameters() and model.buffers()",
    "variables": "use model.state_dict(), or model.parameters() and model.buffers()",
    "trainable_variables": "use model.parameters()",
    "non_trainable_variables": "use model.buffers(); frozen parameters stay in model.parameters()",
    "non_trainable_weights": "use model.buffers(); frozen parameters stay in model.parameters()",
    "count_params": "use sum(v.size for v in model.parameters()), or model.summary(shape)",
    "save": "use wf.save(path, model.state_dict())",
}.items():
    setattr(Module, _name, _Elsewhere(_name, _instead))


def __getattr__(name):
    raise _hints.missing("weft.nn", name)
