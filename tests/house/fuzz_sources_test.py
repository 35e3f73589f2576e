"""The sources that fuzz/CMakeLists.txt names are there. It is configured by clang alone, long after the other tests."""

import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
SET = re.compile(r"^\s*set\((\w+)\s+(\S+)\)", re.MULTILINE)
SOURCE = re.compile(r"[\w${}./]+\.cpp")


def missing(text):
    """The sources of a CMakeLists.txt in fuzz/ that are not there; patterns and loop variables are left out."""
    values = {"PAPILIO_SOURCE_ROOT": str(ROOT / "src"), "CMAKE_SOURCE_DIR": str(ROOT),
              "CMAKE_CURRENT_SOURCE_DIR": str(ROOT / "fuzz")}
    for name, value in SET.findall(text):
        values[name] = value

    def expanded(path):
        while (found := re.search(r"\$\{(\w+)\}", path)) and found[1] in values:
            path = path.replace(found[0], values[found[1]])
        return path

    paths = [expanded(path) for path in SOURCE.findall(re.sub(r"#.*|file\(GLOB[^)]*\)", "", text))]
    return [path for path in paths if "$" not in path and not (ROOT / "fuzz" / path).exists()]


class FuzzSources(unittest.TestCase):
    text = (ROOT / "fuzz/CMakeLists.txt").read_text()

    def test_all_are_there(self):
        self.assertEqual(missing(self.text), [])

    def test_one_that_has_moved_is_found(self):
        moved = self.text.replace("drafts/verify_draft.cpp", "verify_draft.cpp")
        self.assertNotEqual(moved, self.text)
        self.assertEqual(missing(moved), [str(ROOT / "src/sampling/tokens/verify_draft.cpp")])
        self.assertEqual(missing("add_library(a none.cpp)"), ["none.cpp"])


if __name__ == "__main__":
    unittest.main()
