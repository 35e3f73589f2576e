"""The imports checker finds each kind of circle and upward import in a package that has just that one."""

import pathlib
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "tools"))
import check_imports  # noqa: E402

SOUND = {
    "__init__.py": "from food.low import a\nfrom food import high\nimport numpy\n",
    "_core.pyi": "import food.high\n",
    "low.py": "import os\nfrom numpy import high\n\na = 1\n",
    "middle.py": "from food import _core, low\nfrom food.low import a\n",
    "high.py": "def late():\n    from . import middle\n    from .inner import leaf\n",
    "inner/__init__.py": "from food.inner.leaf import b\n",
    "inner/leaf.py": "from ..low import a\n\nb = a\n",
}
ROWS = [{"low", "_core"}, {"middle", "inner.leaf"}, {"inner"}, {"high"}, {""}]
FAULTS = {
    "at the top": ({"low.py": "from food.middle import x\n"}, "low.py:1: circle: low -> middle -> low"),
    "of the module": ({"low.py": "import food.middle\n"}, "low.py:1: circle: low -> middle -> low"),
    "in a function": (
        {"low.py": "def late():\n    from food import middle\n"},
        "low.py:2: circle: low -> middle -> low",
    ),
    "for types": (
        {"low.py": "import typing\nif typing.TYPE_CHECKING:\n    from food.middle import x\n"},
        "low.py:3: circle: low -> middle -> low",
    ),
    "relative": ({"low.py": "from .middle import x\n"}, "low.py:1: circle: low -> middle -> low"),
    "from a folder": ({"inner/leaf.py": "from . import b\n"}, "__init__.py:1: circle: inner -> inner.leaf -> inner"),
    "of three": ({"low.py": "from food import high\n"}, "high.py:3: circle: high -> inner.leaf -> low -> high"),
    "through the package": ({"low.py": "from food import sample\n"}, "circle: food -> "),
    "of one": ({"low.py": "from food.low import b\n"}, "low.py:1: circle: low -> low"),
}


class ImportsTest(unittest.TestCase):
    def check(self, changes, rows=None):
        with tempfile.TemporaryDirectory() as folder:
            package = pathlib.Path(folder, "food")
            for name, text in {**SOUND, **changes}.items():
                (package / name).parent.mkdir(parents=True, exist_ok=True)
                (package / name).write_text(text)
            return check_imports.check(package, rows)

    def test_a_sound_package(self):
        self.assertEqual(self.check({}), [])
        self.assertEqual(self.check({}, ROWS), [])

    def test_circles(self):
        for name, (changes, message) in FAULTS.items():
            with self.subTest(name):
                messages = self.check(changes)
                self.assertEqual([message in text for text in messages], [True], messages)

    def test_imports_that_go_up_or_sideways(self):
        (message,) = self.check({"_core.pyi": "", "low.py": "from food import _core\n"}, ROWS)
        self.assertIn("low.py:1: low may not import _core, which is not below it", message)
        (message,) = self.check({"middle.py": "def late():\n    from food.high import x\n", "high.py": ""}, ROWS)
        self.assertIn("middle.py:2: middle may not import high, which is not below it", message)

    def test_modules_without_a_row(self):
        (message,) = self.check({"new.py": ""}, ROWS)
        self.assertIn("new.py:1: new is in no row", message)

    def test_papilio(self):
        package = ROOT / "python/papilio"
        self.assertEqual(check_imports.check(package, check_imports.ROWS), [])
        found = check_imports.imports_of(package)
        for pair in [("_draws", "_torch"), ("_torch", "_direct_draws"), ("interop.models", "_lda"), ("", "training")]:
            self.assertIn(pair, found)


if __name__ == "__main__":
    unittest.main()
