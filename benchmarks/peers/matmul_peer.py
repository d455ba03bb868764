"""Our matmul against PyTorch's, interleaved in one process on the same buffers; prints ratios (above 1: ours is faster).

A turn begins with untimed calls: for milliseconds after PyTorch's last call its OpenMP threads spin on the cores that
ours need, and a single call of 15 ms on two threads then lost a fifth of its time to them.

    .venv-peers/bin/python benchmarks/peers/matmul_peer.py path/to/libmatmul_peer.so [--threads 1,2] [--only SUBSTRING] [--epilogue]
"""
import argparse
import ctypes
import statistics
import time

import torch

DTYPES = {torch.float32: 11, torch.float64: 12, torch.bfloat16: 10, torch.float16: 9, torch.complex64: 13,
          torch.int32: 6, torch.int8: 2}

SETTLE = 6e-3  # seconds of untimed calls


def rows():
    for n in (8, 16, 32, 64, 128, 256, 512, 1024, 2048):
        for form in ("NN", "NT", "TN"):
            yield f"{form} {n}", form, n, n, n, 1
    yield "NN 512x768x3072", "NN", 512, 3072, 768, 1
    yield "NT 512x768x3072", "NT", 512, 3072, 768, 1
    yield "dW 768x512x3072", "TN", 768, 3072, 512, 1
    yield "NN 4096x64x4096", "NN", 4096, 4096, 64, 1
    yield "batched NN 96x[128x64x128]", "NN", 128, 128, 64, 96
    yield "batched NT 96x[128x64x128]", "NT", 128, 128, 64, 96
    yield "batched NN 96x[128x128x64]", "NN", 128, 64, 128, 96
    for m in (1, 8):
        for form in ("NN", "NT"):
            yield f"M={m} {form} 768x3072", form, m, 3072, 768, 1
            yield f"M={m} {form} 4096x4096", form, m, 4096, 4096, 1
    yield "N=1 4096x4096", "NN", 4096, 1, 4096, 1


def operand(rows, cols, transposed, batch, dtype):
    shape = (batch, cols, rows) if transposed else (batch, rows, cols)
    x = torch.randint(-9, 9, shape).to(dtype) if not dtype.is_floating_point else torch.randn(shape).to(dtype)
    return x.transpose(1, 2) if transposed else x


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("library")
    parser.add_argument("--threads", default="1,2")
    parser.add_argument("--only", default="")
    parser.add_argument("--dtype", default="float32")
    parser.add_argument("--epilogue", action="store_true", help="what bias and relu on the hot tile cost (float32)")
    parser.add_argument("--seconds", type=float, default=0.25)
    options = parser.parse_args()
    ours = ctypes.CDLL(options.library)
    ours.peer_matmul.restype = ours.peer_peak.restype = ctypes.c_double
    dtype = getattr(torch, options.dtype)
    print(f"peak of one thread {ours.peer_peak() / 1e9:.0f} GF/s f32; {options.dtype}")
    for threads in map(int, options.threads.split(",")):
        torch.set_num_threads(threads)
        ours.peer_threads(threads)
        for name, form, m, n, k, batch in rows():
            if options.only not in name:
                continue
            a = operand(m, k, form[0] == "T", batch, dtype)
            b = operand(k, n, form[1] == "T", batch, dtype)
            if batch == 1:
                a, b = a[0], b[0]
            c = torch.empty(a.shape[:-1] + (n,), dtype=dtype)
            d = torch.empty_like(c)
            size = (ctypes.c_int64 * 12)(m, n, k, a.stride(-2), a.stride(-1), b.stride(-2), b.stride(-1), n, batch,
                                         m * k, k * n, m * n)
            call = torch.bmm if batch > 1 else torch.mm
            flops = 2 * m * n * k * batch
            calls = max(1, min(2000, int(2e-3 / (flops / 5e10 + 1e-6))))

            def run_ours(with_bias=None):
                return ours.peer_matmul(DTYPES[dtype], size, ctypes.c_void_p(a.data_ptr()),
                                        ctypes.c_void_p(b.data_ptr()), ctypes.c_void_p(d.data_ptr()),
                                        ctypes.c_int64(calls), with_bias)

            def run_with_epilogue():
                return run_ours(ctypes.c_void_p(bias.data_ptr()))

            def run_torch():
                begin = time.perf_counter()
                for _ in range(calls):
                    call(a, b, out=c)
                return (time.perf_counter() - begin) / calls

            bias = torch.zeros(n)
            runs = ([run_with_epilogue] if options.epilogue else []) + [run_ours, run_torch]
            for run in runs:
                run()
            times = {run: [] for run in runs}
            end = time.perf_counter() + options.seconds
            while time.perf_counter() < end or len(times[run_ours]) < 5:
                for run in runs:
                    settled = time.perf_counter() + SETTLE
                    while time.perf_counter() < settled:
                        run()
                    times[run].append(run())
            best, peer = min(times[run_ours]), min(times[run_torch])
            median = statistics.median(times[run_torch]) / statistics.median(times[run_ours])
            epilogue = f"   with bias and relu {min(times[run_with_epilogue]) / best:5.2f}x" if options.epilogue else ""
            is_right = torch.allclose(c.to(torch.complex128), d.to(torch.complex128), rtol=1e-2, atol=1e-1)
            note = epilogue + ("" if is_right else "  WRONG")
            print(f"{threads} threads  {name:28s} ours {flops / best / 1e9:7.1f} GF/s {best * 1e6:9.2f} us   torch "
                  f"{flops / peer / 1e9:7.1f}   ratio {peer / best:5.2f} best {median:5.2f} median{note}", flush=True)


if __name__ == "__main__":
    main()
