"""Input pipelines: a Dataset describes where elements come from and what is done to them; iterating runs it.

>>> import weft as wf
>>> x, y = wf.arange(10.0), wf.arange(10)
>>> for a, b in wf.data.Dataset.from_tensor_slices((x, y)).batch(4):
...     print(a.tolist(), b.tolist())
[0.0, 1.0, 2.0, 3.0] [0, 1, 2, 3]
[4.0, 5.0, 6.0, 7.0] [4, 5, 6, 7]
[8.0, 9.0] [8, 9]
"""

import atexit as _atexit

from .. import _core, _hints
from ._dataset import INFINITE, UNKNOWN, Dataset
from ._files import (csv, decode_image, encode_png, idx, image_folder, npy, npz, parse_example, read_idx, text_lines, tfrecord,
                     write_png)
from ._iterator import Iterator
from ._load import load_dataset

# Threads of iterators that are still alive end before the interpreter does.
_atexit.register(_core._end_data_threads)


def __getattr__(name):
    raise _hints.missing("weft.data", name)
