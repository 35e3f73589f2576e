#!/usr/bin/env python3
"""Makes the page of forests of trees on a GPU.

    tools/forest_page.py [FILE...]

The FILEs are JSON of `papilio_sampling_cuda_bench --cases forest` and of benchmarks/python/forest_cuda.py. They are kept
in benchmarks/results/dynamic-gpu.json; without a FILE that is read again. Then writes benchmarks/results/dynamic-gpu.md.
"""

import json
import pathlib
import sys

from gpu_report import figures, table, wrapped

RESULTS = pathlib.Path(__file__).resolve().parent.parent / "benchmarks/results"
RAW, PAGE = RESULTS / "dynamic-gpu.json", RESULTS / "dynamic-gpu.md"


def read(files):
    data = {"heads": [], "records": []}
    for file in files:
        found = json.loads(pathlib.Path(file).read_text())
        data["heads"].append({k: v for k, v in found.items() if k != "records"})
        data["records"] += [r for r in found["records"] if r["case"] == "forest"]
    return data


def cell(record):
    if record is None:
        return ""
    if "error" in record:
        return "failed"
    return f"{figures(record['ms'])} ({figures(record['per_second'] / 1e6)})"


def section(records, rows, categories):
    here = [r for r in records if (r["rows"], r["categories"]) == (rows, categories)]
    batches = sorted({r["batch"] for r in here if "batch" in r and r["what"] != "making a forest"})
    at = {(r["what"], r.get("batch")): r for r in here if "what" in r}
    names = [n for n in dict.fromkeys(r["what"] for r in here if "what" in r) if n != "making a forest"]
    text = table(["", *(f"batches of {b:,}" for b in batches)], [[n, *(cell(at.get((n, b))) for b in batches)] for n in names])
    made = next((r for r in here if r.get("what") == "making a forest" and "ms" in r), None)
    return f"## {rows:,} x {categories:,}\n\n{text}" + (f"\nMaking the forest, by the host's clock: {figures(made['ms'])} ms.\n" if made else "")


def page(data):
    about = ", ".join(dict.fromkeys(f"{k} {v}" if k != "device" else v for head in data["heads"] for k, v in head.items()
                                    if k in ("device", "cuda_runtime", "cuda_driver", "papilio", "torch")))
    shapes = dict.fromkeys((r["rows"], r["categories"]) for r in data["records"])
    return ("# Weights that change, on a GPU\n\n" + wrapped(f"{about}.") + "\n"
            + wrapped("`DynamicForest` of R rows x K categories, float64, beside draws that read their whole row (`sample_categorical`, `slots`, rows picked "
                      "by index) and, if it was measured, PyTorch. Entries are ms per batch, and millions per second in brackets. Places and rows are random. "
                      "Before anything is timed, the draws after a batch of updates are compared with the CPU's, bit for bit.") + "\n"
            + "    papilio_sampling_cuda_bench --cases forest --json forest.json\n    benchmarks/python/forest_cuda.py --json forest-peers.json\n"
              "    tools/forest_page.py forest.json forest-peers.json\n"
            + "".join("\n" + section(data["records"], *shape) for shape in shapes))


def main():
    if any(a.startswith("-") for a in sys.argv[1:]):
        print(__doc__, file=sys.stderr)
        return 64
    data = read(sys.argv[1:]) if len(sys.argv) > 1 else json.loads(RAW.read_text())
    RAW.write_text(json.dumps(data, indent=0) + "\n")
    PAGE.write_text(page(data))
    return 0


if __name__ == "__main__":
    sys.exit(main())
