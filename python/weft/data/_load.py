"""load_dataset: data that people learn with."""

import importlib.util
import os

from .. import _core
from ._dataset import Dataset


def load_dataset(name, split="train", folder=None):
    """"digits", "mnist", "fashion_mnist": (image, label); "names", "shakespeare": texts.

    The files are looked for in `folder`, then in the folder that the environment variable WEFT_DATA names, then where
    packages put them. `split` is "train" or "test"; texts have one part. `x, y = dataset.as_tensors()` gives the arrays.
    """
    try:
        return Dataset(_core._data_load(name, "" if folder is None else os.fspath(folder), split))
    except _core.IoError:
        packaged = _scikit_learn() if name == "digits" and folder is None else None
        if packaged is None:
            raise
    return Dataset(_core._data_load(name, packaged, split))


def _scikit_learn():
    """The folder of data inside of scikit-learn, which need not be imported for that."""
    spec = importlib.util.find_spec("sklearn")
    if spec is None or not spec.submodule_search_locations:
        return None
    return os.path.join(spec.submodule_search_locations[0], "datasets", "data")
