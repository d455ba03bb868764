"""Tables of vectors, looked up by numbers."""

from ... import _ops
from .. import init
from ..module import Layer

embedding, embedding_bag = _ops.op("nn", "embedding"), _ops.op("nn", "embedding_bag")


def _without_padding(initializer, padding_idx):
    """The row of padding begins as zeros."""
    if padding_idx is None:
        return initializer
    return lambda key, shape, dtype: initializer(key, shape, dtype).at[padding_idx].set(0.0)


class _Table(Layer):
    def __init__(self, num_embeddings, embedding_dim, padding_idx, dtype, weight_init, key):
        self.num_embeddings, self.embedding_dim, self.padding_idx = num_embeddings, embedding_dim, padding_idx
        self._weight_init = weight_init
        self._begin(num_embeddings, key, dtype)

    def _parameters(self, size):
        initializer = init.chosen(self._weight_init, init.normal(1.0), type(self).__name__)
        return {"weight": ((size, self.embedding_dim), _without_padding(initializer, self.padding_idx))}

    def extra_repr(self):
        return f"{self.num_embeddings}, {self.embedding_dim}"


class Embedding(_Table):
    """Row `i` of its weight [num_embeddings, embedding_dim] for each number `i`. Begins as standard normal numbers, as in
    PyTorch; `weight_init="uniform"` is Keras's choice. The row `padding_idx` begins as 0 and stays as it is.

    >>> wf.nn.Embedding(10, 4)(wf.tensor([[1, 2, 3]])).shape
    (1, 3, 4)
    """

    def __init__(self, num_embeddings, embedding_dim, padding_idx=None, *, dtype=None, weight_init=None, key=None):
        super().__init__(num_embeddings, embedding_dim, padding_idx, dtype, weight_init, key)

    def forward(self, indices):
        return self._lowered(embedding(indices, self.weight, self.padding_idx))[0]


class EmbeddingBag(_Table):
    """The sum, mean or maximum of the rows of each bag of numbers, without the rows in memory. Begins as Embedding does."""

    def __init__(self, num_embeddings, embedding_dim, mode="mean", padding_idx=None, *, dtype=None, weight_init=None, key=None):
        self.mode = mode
        super().__init__(num_embeddings, embedding_dim, padding_idx, dtype, weight_init, key)

    def forward(self, indices, offsets=None, per_sample_weights=None):
        out = embedding_bag(indices, self.weight, offsets, per_sample_weights, self.mode, self.padding_idx)
        return self._lowered(out)[0]

    def extra_repr(self):
        return f"{super().extra_repr()}, mode={self.mode!r}"
