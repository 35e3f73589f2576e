#!/usr/bin/env python3
"""Fails when a library that was built without CUDA defines or needs a symbol of CUDA.

    tools/check_no_cuda_symbols.py LIBRARY

Names of CUDA are those of its runtime and driver (cudaMalloc, cuInit, __cudaRegister...,
cudart...) and its types in the signatures of functions (CUstream_st). Our own names have
`cuda` in lower case, `papilio::Device::cuda`, and are none of these.
"""

import pathlib
import re
import subprocess
import sys

CUDA = re.compile(r"(?<![A-Za-z0-9_])_*cuda[A-Z]\w*|__cuda\w*|\w*cudart\w*|(?<![A-Za-z0-9_])(?:cu[A-Z]\w*|CU[a-z]\w*)")


def symbols(library):
    """The demangled names that the library defines or needs."""
    listing = subprocess.run(["nm", "-C", str(library)], check=True, capture_output=True, text=True).stdout
    return [match[1] for match in re.finditer(r"(?m)^[0-9a-f ]{16,} \w (.+)$", listing)]


def check(library):
    """Returns the number of symbols seen and a message for each that is CUDA's."""
    names = symbols(library)
    faults = sorted({name for name in names if CUDA.search(name)})
    return len(names), [f"{library.name}: holds {name}, a symbol of CUDA" for name in faults]


def main():
    library = pathlib.Path(sys.argv[1])
    count, messages = check(library)
    print("\n".join(messages), end="\n" if messages else "")
    if count == 0:
        print(f"check_no_cuda_symbols: {library} has no symbols to look at")
    return 1 if messages or count == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
