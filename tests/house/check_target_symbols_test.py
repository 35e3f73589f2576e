"""The symbol check lets a target's own functions pass and names those that could leak into another's.

CXX names the compiler.
"""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "tools"))
import check_target_symbols  # noqa: E402

SOUND = """
static int local(int x) { return x + 1; }
namespace papilio::avx2::sampling {
template <class T> T twice(T x) { return x + x; }
inline int weak(int x) { return local(x); }
int (*kept)(int) = weak;
int entry(int x) { return twice(x); }
}
"""
WEAK_LEAK = SOUND + "inline int leak(int x) { return 3 * x; }\nint (*pointer)(int) = leak;\n"
GLOBAL_LEAK = SOUND + "int exported(int x) { return x; }\n"
STANDARD_LEAK = SOUND + "#include <algorithm>\nconst int& (*pointer)(const int&, const int&) = std::min<int>;\n"


def check(part, source):
    with tempfile.TemporaryDirectory() as folder:
        target = pathlib.Path(folder) / "src/CMakeFiles" / part
        target.mkdir(parents=True)
        (target / "a.cpp").write_text(source)
        compiler = os.environ.get("CXX", "c++")
        subprocess.run([compiler, "-std=c++20", "-O0", "-c", "a.cpp", "-o", "a.cpp.o"], cwd=target, check=True)
        return check_target_symbols.check(pathlib.Path(folder))


class CheckTargetSymbols(unittest.TestCase):
    def test_functions_in_the_targets_namespace_pass(self):
        self.assertEqual(check("papilio_sampling_avx2.dir", SOUND), (1, []))

    def test_a_weak_function_outside_is_named(self):
        _, messages = check("papilio_sampling_avx2.dir", WEAK_LEAK)
        self.assertEqual(len(messages), 1)
        self.assertIn("defines leak(int), expected a name with ::avx2::", messages[0])

    def test_a_global_function_outside_is_named(self):
        _, messages = check("papilio_sampling_avx2.dir", GLOBAL_LEAK)
        self.assertEqual(len(messages), 1)
        self.assertIn("defines exported(int)", messages[0])

    def test_an_instantiation_of_the_standard_library_is_named(self):
        _, messages = check("papilio_sampling_avx2.dir", STANDARD_LEAK)
        self.assertEqual(len(messages), 1)
        self.assertIn("std::min<int>", messages[0])

    def test_another_targets_namespace_is_outside(self):
        _, messages = check("papilio_sampling_avx512.dir", SOUND)
        self.assertTrue(messages)

    def test_other_objects_are_not_looked_at(self):
        self.assertEqual(check("papilio_sampling_baseline.dir", WEAK_LEAK), (0, []))


if __name__ == "__main__":
    unittest.main()
