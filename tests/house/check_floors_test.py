"""The floors checker finds each kind of fault in a tree that has just that one."""

import pathlib
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "tools"))
import check_floors  # noqa: E402

SOUND = {
    "include/papilio/error.h": '#pragma once\n#include <stdexcept>\n#include "papilio/device.h"\n',
    "include/papilio/device.h": "#pragma once\n#include <string>\n",
    "src/base/check.h": '#include <fmt/format.h>\n#include "papilio/error.h"\n',
    "src/warp/a.h": '#include "base/check.h"\n#include <immintrin.h>\n',
    "src/collective/draw.h": '#include "random/philox.h"\n#include "warp/a.h"\n',
    "src/execution/device.cpp": '#include <cstdlib>\nchar* x = std::getenv("PAPILIO_DEVICE");\n',
    "src/sampling/rows/draw.cpp": '#include "collective/draw.h"\n#include "execution/device.h"\n',
    "src/lda/io/model/model.cpp": '#include <nlohmann/json.hpp>\n#include "lda/model/state.h"\n',
    "src/lda/model/state.h": '#include "sampling/rows/draw.h"\nstruct State {\n};\nstruct Tally {};\n',
    "src/lda/model/text.cpp": 'std::snprintf(text, 8, "x");  // never printf("x") here\n',
    "apps/papilio/main.cpp": '#include "papilio/error.h"\n#include "commands/train.h"\nstd::puts("done");\n',
    "apps/papilio/commands/train.cpp": '#include "commands/train.h"\n#include "support/files.h"\n',
    "src/warp/c.cuh": '#include "warp/a.h"\n',
    "examples/own_weights.cpp": "#include <papilio/error.h>\n#include <papilio/warp/a.h>\n",
    "examples/own_kernel.cu": "#include <papilio/warp/c.cuh>\n",
    "tests/warp/a_test.cpp": '#include "warp/a.h"\n',
}

# path, its text, the message expected
FAULTS = [
    ("src/warp/b.h", '#include "lda/model/state.h"', "src/warp/b.h:1: warp may not include lda"),
    ("src/warp/b.h", '\n# include "random/philox.h"', "src/warp/b.h:2: warp may not include random"),
    ("src/random/b.h", '#include "collective/draw.h"', "src/random/b.h:1: random may not include collective"),
    ("src/execution/b.h", '#include "warp/a.h"', "src/execution/b.h:1: execution may not include warp"),
    ("src/sampling/rows/b.h", '#include "primitives/scan.h"', "src/sampling/rows/b.h:1: sampling may not include primitives"),
    ("src/primitives/b.h", '#include "sampling/b.h"', "src/primitives/b.h:1: primitives may not include sampling"),
    ("src/sampling/rows/b.h", '#include "lda/model/state.h"', "src/sampling/rows/b.h:1: sampling may not include lda"),
    ("src/lda/model/b.h", '#include "state.h"', 'src/lda/model/b.h:1: expected a path from src/ or "papilio/...", found "state.h"'),
    ("src/lda/model/b.h", '#include "../base/check.h"',
     'src/lda/model/b.h:1: expected a path from src/ or "papilio/...", found "../base/check.h"'),
    ("src/lda/model/b.h", '#include "papilio/absent.h"',
     "src/lda/model/b.h:1: lda may not include papilio/absent.h, which is no public header"),
    ("src/attic/b.h", "", "src/attic/b.h:1: attic is no floor"),
    ("src/lda/attic/b.h", "", "src/lda/attic/b.h:1: lda/attic is no room"),
    ("src/lda/b.h", "", "src/lda/b.h:1: lda is no room"),
    ("src/lda/model/b.h", '#include "lda/attic/c.h"', "src/lda/model/b.h:1: lda/attic is no room"),
    ("src/lda/corpus/b.h", '#include "lda/model/state.h"', "src/lda/corpus/b.h:1: lda/corpus may not include lda/model"),
    ("src/lda/evaluation/b.h", '#include "lda/io/bytes/hash.h"',
     "src/lda/evaluation/b.h:1: lda/evaluation may not include lda/io/bytes"),
    ("src/lda/io/bytes/b.h", '#include "lda/io/text/c.h"',
     "src/lda/io/bytes/b.h:1: lda/io/bytes may not include lda/io/text"),
    ("src/lda/io/text/b.h", '#include "lda/io/counts/c.h"',
     "src/lda/io/text/b.h:1: lda/io/text may not include lda/io/counts"),
    ("src/sampling/slots/b.h", '#include "sampling/blocks/c.h"',
     "src/sampling/slots/b.h:1: sampling/slots may not include sampling/blocks"),
    ("apps/papilio/support/b.h", '#include "commands/train.h"',
     "apps/papilio/support/b.h:1: apps/papilio/support may not include apps/papilio/commands"),
    ("src/lda/visualization/b.cpp", "struct State {};",
     "src/lda/visualization/b.cpp:1: State is the name of a type of src/lda/model/state.h too"),
    ("src/lda/visualization/b.cpp", "\nenum class Tally : char {",
     "src/lda/visualization/b.cpp:2: Tally is the name of a type of src/lda/model/state.h too"),
    ("src/collective/b.h", "#include <fmt/format.h>", "src/collective/b.h:1: collective may not include <fmt/format.h>"),
    ("src/collective/b.h", "#include <immintrin.h>", "src/collective/b.h:1: collective may not include <immintrin.h>"),
    ("src/sampling/b.cpp", "#include <tbb/parallel_for.h>",
     "src/sampling/b.cpp:1: sampling may not include <tbb/parallel_for.h>"),
    ("src/lda/io/bytes/b.h", "#include <zstd.h>",
     "src/lda/io/bytes/b.h:1: a header may not include <zstd.h>; only a source file may"),
    ("src/execution/b.cpp", "#include <cuda_runtime.h>",
     "src/execution/b.cpp:1: execution may not include <cuda_runtime.h>"),
    ("src/lda/model/b.cpp", 'auto x = std::getenv("HOME");', "src/lda/model/b.cpp:1: lda may not read the environment; only execution may"),
    ("src/lda/model/b.cpp", 'std::cerr << "x";', "src/lda/model/b.cpp:1: lda may not print; only faces may"),
    ("src/lda/model/b.cpp", '  printf("x");', "src/lda/model/b.cpp:1: lda may not print; only faces may"),
    ("src/execution/b.cpp", 'std::fprintf(stderr, "x");', "src/execution/b.cpp:1: execution may not print; only faces may"),
    ("include/papilio/b.h", '#include "warp/a.h"', "include/papilio/b.h:1: a public header may not include warp/a.h"),
    ("include/papilio/b.h", '#include "papilio/warp/a.h"',
     "include/papilio/b.h:1: a public header may not include papilio/warp/a.h, which is no public header"),
    ("include/papilio/b.h", "#include <fmt/format.h>",
     "include/papilio/b.h:1: a public header may not include <fmt/format.h>"),
    ("include/papilio/b.h", "#include <immintrin.h>", "include/papilio/b.h:1: a public header may not include <immintrin.h>"),
    ("include/papilio/b.h", "#include <cuda_runtime.h>",
     "include/papilio/b.h:1: a public header may not include <cuda_runtime.h>"),
    ("include/papilio/b.h", "#ifdef __CUDACC__", "include/papilio/b.h:1: a public header may not depend on a backend"),
    ("include/papilio/b.h", "#if defined(__AVX2__)", "include/papilio/b.h:1: a public header may not depend on a backend"),
    ("apps/papilio/b.cpp", '#include "lda/model/state.h"',
     "apps/papilio/b.cpp:1: apps may not include lda; faces see only papilio/"),
    ("apps/papilio/b.cpp", "#include <papilio/warp/a.h>",
     "apps/papilio/b.cpp:1: apps may not include papilio/warp/a.h, which is no public header"),
    ("examples/b.cpp", "#include <papilio/execution/device.h>",
     "examples/b.cpp:1: examples may not include papilio/execution/device.h, which is no public header"),
    ("benchmarks/b.cpp", '#include "warp/a.h"', "benchmarks/b.cpp:1: benchmarks may not include warp; faces see only papilio/"),
    ("benchmarks/cuda/b.cpp", '#include "lda/training/dense/parallel_cuda.h"',
     "benchmarks/cuda/b.cpp:1: benchmarks may not include lda; faces see only papilio/"),
    ("examples/b.cpp", "#include <tbb/parallel_for.h>", "examples/b.cpp:1: examples may not include <tbb/parallel_for.h>"),
]


def check_tree(files):
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        for path, text in files.items():
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_text(text)
        return check_floors.check(root)


class CheckFloors(unittest.TestCase):
    def test_a_sound_tree_has_no_fault(self):
        self.assertEqual(check_tree(SOUND), [])

    def test_each_fault_is_named(self):
        for path, text, message in FAULTS:
            with self.subTest(path=path, text=text):
                self.assertEqual(check_tree(SOUND | {path: text}), [message])

    def test_headers_that_include_each_other_are_named(self):
        circle = {"src/warp/b.h": '#include "warp/d.h"\n', "src/warp/d.h": '#include "warp/b.h"\n'}
        self.assertEqual(check_tree(SOUND | circle),
                         ["src/warp/b.h:1: headers include each other: src/warp/b.h, src/warp/d.h"])

    def test_a_folder_of_too_many_files_is_named(self):
        files = {f"src/warp/w{i}.h": "" for i in range(check_floors.LARGEST_FOLDER)}
        self.assertEqual(check_tree(SOUND | files),
                         [f"src/warp:1: {len(files) + 2} files in one folder, expected at most {len(files)}"])

    def test_the_rooms_stand_on_rooms_that_exist(self):
        for room, below in check_floors.ROOMS.items():
            folder = ROOT / ("" if room.startswith("apps/") else "src") / room
            self.assertTrue(any(file.is_file() for file in folder.iterdir()), room)
            self.assertLessEqual(below, check_floors.ROOMS.keys())
            self.assertNotIn(room, check_floors.rooms_below(room))

    def test_every_floor_of_the_repository_is_known(self):
        floors = {folder.name for folder in (ROOT / "src").iterdir() if folder.is_dir()}
        self.assertEqual(floors, set(check_floors.BELOW))


if __name__ == "__main__":
    unittest.main()
