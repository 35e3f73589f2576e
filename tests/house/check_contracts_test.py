"""The contracts checker finds each kind of public name that has no contract test."""

import pathlib
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "tools"))
import check_contracts  # noqa: E402

HEADER = """#pragma once
namespace papilio {
// A comment that calls nothing().
enum class Color : int { red, green };
struct Options { int threads = 0; Device device = Device::none(); };
template <class T> struct Row : Base<T> { T* first = nullptr; bool ragged() const { return helper(first); } };
class Table {
 public:
  explicit Table(int size);
  Table(const Table&) = default;
  void draw(VectorView<int> to, const Options& options = {}) const;
 private:
  struct Secret;
  void hidden();
};
double mean(std::span<const double> values, int threads = 0);
template <class T> requires std::is_same_v<T, int> void only(T x);
}
"""


class CheckContracts(unittest.TestCase):
    def faults(self, tests, untested=None):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            (root / "include/papilio").mkdir(parents=True)
            (root / "tests/room").mkdir(parents=True)
            (root / "include/papilio/a.h").write_text(HEADER)
            (root / "tests/room/contracts_test.cpp").write_text(tests)
            before, check_contracts.UNTESTED = check_contracts.UNTESTED, untested or {}
            try:
                return check_contracts.names_without_test(root)[1]
            finally:
                check_contracts.UNTESTED = before

    def test_names(self):
        self.assertEqual(check_contracts.public_names(HEADER),
                         {"Color", "Options", "Row", "ragged", "Table", "draw", "mean", "only"})

    def test_every_name_needs_a_test(self):
        all_names = sorted(check_contracts.public_names(HEADER))
        self.assertEqual(self.faults(" ".join(all_names)), [])
        for left_out in all_names:
            faults = self.faults(" ".join(name for name in all_names if name != left_out))
            self.assertEqual(len(faults), 1, faults)
            self.assertIn(f"{left_out} has no contract test", faults[0])

    def test_names_in_comments_and_strings_do_not_count(self):
        self.assertEqual(len(self.faults('// Color Options Row\n"ragged Table draw mean only"')), 8)

    def test_exceptions_must_be_needed(self):
        names = "Color Options Row ragged Table draw only"
        self.assertEqual(self.faults(names, {"mean": "a reason"}), [])
        self.assertIn("is not public", self.faults(names + " mean", {"gone": "a reason"})[0])
        self.assertIn("has a contract test", self.faults(names + " mean", {"mean": "a reason"})[0])

    def test_this_repository(self):
        declared, faults = check_contracts.names_without_test(ROOT)
        self.assertEqual(faults, [])
        for name in ("train", "sample_categorical", "MatrixView", "AliasTable", "row", "to_json"):
            self.assertIn(name, declared)


if __name__ == "__main__":
    unittest.main()
