"""Weft: a deep-learning framework. Tensors are values, ops are one registry, errors say what would be right.

>>> import weft as wf
>>> wf.tensor([1.0, 2.0]) + 1
tensor([2., 3.], dtype=float32)
"""

import sys as _sys

from . import _core


def _stale(name):
    """A name that the package needs and the extension lacks: it was built from other sources."""
    if name.startswith("__"):
        raise AttributeError(name)
    raise ImportError(f"weft: the extension {_core.__file__} has no '{name}': it was built from other sources than the "
                      "Python files beside it; build it again, with ninja -C build/release or pip install .")


_core.__getattr__ = _stale  # Python asks this for names that a module does not have

from . import _errors, _hints, _ops  # noqa: E402
from ._core import (DType, Error, FailedAssertion, InternalError, InvalidError, IoError, MissingRuleError,
                    OutOfMemoryError, OutOfRangeError, Tensor, TooLargeError, Variable, WrongTypeError)
from ._core import (bfloat16, bool, complex64, complex128, float16, float32, float64, int8, int16, int32,
                    int64, uint8, uint16, uint32, uint64)
from ._core import num_threads, set_num_threads

_core._set_package_folder(__file__.removesuffix("__init__.py"))
__version__ = "0.1.0"
__array_api_version__ = "2024.12"

e = 2.718281828459045
pi = 3.141592653589793
inf = float("inf")
nan = float("nan")
newaxis = None

_ops.fill("", globals())

from . import fft, linalg, memory, nn, optim, random  # noqa: E402
from ._array_api import (__array_namespace_info__, can_cast, finfo, full, iinfo, isdtype,  # noqa: E402
                         promote_types, result_type)
from ._creation import asarray, from_dlpack, tensor  # noqa: E402
from ._help import help, show_config  # noqa: E402
from .linalg import tensordot  # noqa: E402
from ._methods import positive  # noqa: E402
from ._shape import broadcast_arrays, einsum, meshgrid, pad  # noqa: E402
from ._statistics import histogram  # noqa: E402
from ._load_ops import load_ops  # noqa: E402
from ._user_ops import define_op  # noqa: E402

from ._scan import associative_scan  # noqa: E402
from ._custom import Function, checkpoint, custom_gradient, custom_jvp  # noqa: E402
from ._grad_check import grad_check  # noqa: E402
from ._batching import axis_index, pmean, psum, vmap  # noqa: E402
from ._tape import GradientTape, no_grad  # noqa: E402
from ._transforms import (grad, hessian, hvp, jacfwd, jacrev, jvp, linearize, stop_gradient,  # noqa: E402
                          value_and_grad, vjp)
from ._control import cond, fori_loop, map, scan, switch_case, while_loop  # noqa: E402
from ._function import TensorSpec, do_not_rewrite, eval_shape, function, jit  # noqa: E402
from ._graph import (Graph, Operation, control_dependencies, current_graph, device, eager, get_default_graph,  # noqa: E402
                     global_variables, global_variables_initializer, gradients, group, identity, name_scope, placeholder,
                     placeholder_with_default, trainable_variables)
from ._session import Session  # noqa: E402
from ._saving import load, load_metadata, save  # noqa: E402
from ._checkpoint import CheckpointManager  # noqa: E402
from ._saver import Saver, latest_checkpoint  # noqa: E402
from ._core import HookHandle  # noqa: E402
from ._observe import Drawing, Observation, draw, fingerprint, observe  # noqa: E402
from . import tree  # noqa: E402
from .random import rand, randn, seed  # noqa: E402
from . import train  # noqa: E402

_ops.add_methods(Tensor, globals())
_ops.add_shortcuts(globals())
_ops.add_aliases(globals())


def __getattr__(name):
    """Modules that load on first use, and a word for names that other libraries use."""
    if name in ("data", "testing", "metrics", "callbacks"):
        import importlib

        return importlib.import_module(f"weft.{'' if name in ('data', 'testing') else 'train.'}{name}")
    if name == "profile":
        return train.profile
    raise _hints.missing("weft", name)
