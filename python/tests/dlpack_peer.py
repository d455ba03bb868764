"""DLPack between Weft and PyTorch, both ways; test_interop.py runs it with the interpreter of the peers' venv.

Prints `N checks` when all hold.
"""

import torch

import weft as wf

DTYPES = {"bool": torch.bool, "uint8": torch.uint8, "int8": torch.int8, "int16": torch.int16, "int32": torch.int32,
          "int64": torch.int64, "float16": torch.float16, "bfloat16": torch.bfloat16, "float32": torch.float32,
          "float64": torch.float64, "complex64": torch.complex64, "complex128": torch.complex128}
LAYOUTS = {"whole": lambda t: t, "transposed": lambda t: t.T, "columns": lambda t: t[:, ::2], "rows": lambda t: t[1:],
           "empty": lambda t: t[:0], "scalar": lambda t: t[1, 2], "repeated": lambda t: t[:, :1].expand(3, 4)}
checks = 0


def check(condition, what):
    global checks
    checks += 1
    assert condition, what


def same(tensor, peer):
    return tensor.tolist() == peer.tolist() and tensor.shape == tuple(peer.shape)


for name, dtype in DTYPES.items():
    base = (torch.arange(12).reshape(3, 4) % 5).to(dtype)
    if dtype.is_complex:
        base = base * (1 + 2j)
    for layout, view in LAYOUTS.items():
        peer, what = view(base), f"{name}, {layout}"
        tensor = wf.from_dlpack(peer)
        check(str(tensor.dtype) == name and same(tensor, peer), f"{what}: from torch")
        if peer.numel() > 1:
            strides = tuple(s * peer.element_size() for s in peer.stride())
            check(tensor.strides == strides, f"{what}: strides {tensor.strides} are not {strides}")
            check(wf._core._is_foreign(tensor), f"{what}: was copied")
        back = torch.from_dlpack(tensor)
        check(back.dtype == dtype and same(tensor, back), f"{what}: back to torch")
        ours = wf.tensor(peer)  # copied: torch may write to its memory
        check(same(ours, peer) and not wf._core._is_foreign(ours), f"{what}: wf.tensor")
        check(same(ours, torch.from_dlpack(ours)), f"{what}: ours to torch")

# What we hand out is read-only: an importer without the flag gets a copy, so that writing cannot change a tensor.
tensor = wf.tensor([1.0, 2.0, 3.0])
theirs = torch.utils.dlpack.from_dlpack(tensor.__dlpack__())
theirs[0] = 7
check(tensor.tolist() == [1.0, 2.0, 3.0], "writing to an old capsule changed the tensor")
flags = tensor.__dlpack__(max_version=(1, 0))
check("dltensor_versioned" in repr(flags), "a versioned capsule was asked for")
try:
    tensor.__dlpack__(copy=False)
    check(False, "an old capsule without a copy was given")
except BufferError:
    check(True, "")

# Borrowed memory shows what its owner writes; a copy does not; and it lives as long as the tensor.
peer = torch.zeros(1000)
borrowed, copied = wf.from_dlpack(peer), wf.from_dlpack(peer, copy=True)
peer[0] = 5
check(borrowed[0].item() == 5 and copied[0].item() == 0, "borrowing and copying")
del peer
check(borrowed.sum().item() == 5, "memory that its owner let go")

# torch ends the process when it is given a negative stride: it gets a copy.
check(torch.from_dlpack(wf.tensor([1.0, 2.0])[::-1]).tolist() == [2.0, 1.0], "a negative stride")

# Numbers of torch beside tensors.
check((wf.tensor([1.0]) + torch.tensor([2.0])).tolist() == [3.0], "tensor + torch")
print(f"{checks} checks")
