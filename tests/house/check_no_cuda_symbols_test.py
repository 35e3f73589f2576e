"""The check for CUDA's symbols lets papilio's own names pass and names CUDA's, defined or needed.

CXX names the compiler.
"""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "tools"))
import check_no_cuda_symbols  # noqa: E402

SOUND = """
namespace papilio {
struct Device { static int cuda(int); };
int Device::cuda(int ordinal) { return ordinal; }
namespace execution { int cuda_device_count() { return 0; } }
namespace sampling { struct CudaWarp {}; void draw_by_slots_on_cuda(CudaWarp) {} }
}
int current(int accumulate) { return accumulate; }
"""
# C++, and the symbol that must be named.
FAULTS = [
    ('extern "C" int cudaMalloc(void**, unsigned long);\nint f(void** p) { return cudaMalloc(p, 8); }', "cudaMalloc"),
    ('extern "C" void** __cudaRegisterFatBinary(void*) { return nullptr; }', "__cudaRegisterFatBinary"),
    ('extern "C" int cuInit(unsigned);\nint f() { return cuInit(0); }', "cuInit"),
    ('extern "C" int libcudart_static_deadbeef() { return 0; }', "libcudart_static_deadbeef"),
    ("enum cudaError { none };\nnamespace papilio { void check(cudaError) {} }", "papilio::check(cudaError)"),
    ("struct CUstream_st;\nnamespace papilio { void draw(CUstream_st*) {} }", "papilio::draw(CUstream_st*)"),
]


def check(source):
    with tempfile.TemporaryDirectory() as folder:
        (pathlib.Path(folder) / "a.cpp").write_text(source)
        compiler = os.environ.get("CXX", "c++")
        subprocess.run([compiler, "-std=c++20", "-O0", "-c", "a.cpp", "-o", "a.o"], cwd=folder, check=True)
        subprocess.run(["ar", "rc", "liba.a", "a.o"], cwd=folder, check=True)
        return check_no_cuda_symbols.check(pathlib.Path(folder) / "liba.a")


class CheckNoCudaSymbols(unittest.TestCase):
    def test_our_own_names_pass(self):
        count, messages = check(SOUND)
        self.assertGreater(count, 0)
        self.assertEqual(messages, [])

    def test_each_symbol_of_cuda_is_named(self):
        for source, symbol in FAULTS:
            with self.subTest(symbol=symbol):
                self.assertEqual(check(SOUND + source)[1], [f"liba.a: holds {symbol}, a symbol of CUDA"])


if __name__ == "__main__":
    unittest.main()
