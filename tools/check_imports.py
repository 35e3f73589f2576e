#!/usr/bin/env python3
"""Fails when modules of a Python package import each other in a circle, or import upwards.

    tools/check_imports.py [PACKAGE_FOLDER]

All imports count: at the top of a module, inside functions, and under TYPE_CHECKING. It reports
"python/papilio/_a.py:3: circle: _a -> _b -> _a" and "python/papilio/_a.py:3: _a may not import _b, which is not
below it". The default is python/papilio.
"""

import ast
import pathlib
import sys

# The modules of papilio, lowest first. A module may import those of the rows above its own row here. One that is not
# in a row is refused; modules of a row do not know each other.
ROWS = [
    {"_errors", "_checked", "_keywords", "_nccl", "_rendezvous", "_seeds", "_warnings"},
    {"_feature_names", "_over_ranks"},
    {"_core"},  # compiled; it imports _errors
    {"_options"},
    {"_ranks"},
    {"_arguments", "_display", "_framework", "_progress", "_seed_words", "_sparse", "_text_options", "_train_options",
     "_estimator", "_topic_tables", "distributed", "phrases"},
    {"_device_arrays", "_parameters", "_counts", "_lda_conduct", "_lda_ranks", "readers"},
    {"_fit", "_inference", "_model_files"},
    {"_frameworks", "corpora", "training", "evaluation"},
    {"_report", "_primitive_calls", "_token_arguments", "_tridiagonal_calls"},
    {"_choice", "_direct_draws", "_dynamic", "_primitives", "_scans", "_tables", "_tridiagonal", "_without_replacement",
     "_fitted", "_token_draws"},
    {"_torch", "_jax", "_fitting", "_scoring", "_resample", "_token_shards"},
    {"_lda", "_torch_tokens", "_jax_tokens"},
    {"_draws", "_tokens", "torch", "plot", "interop.corpora", "interop.models"},
    {"interop", "choose"},
    {"__main__"},  # `python -m papilio`
    {""},  # the package itself, papilio/__init__.py
    {"train"},  # `torchrun -m papilio.train`, a program on the package
]


def modules_of(folder):
    """Module name -> path, for every module of a package; the package itself is "". Names lack the package's own."""
    found = {}
    for path in sorted(folder.rglob("*.py*")):
        if path.suffix not in (".py", ".pyi"):
            continue
        parts = list(path.relative_to(folder).with_suffix("").parts)
        if parts[-1] == "__init__":
            parts.pop()
        found.setdefault(".".join(parts), path)
    return found


def imported_names(node, package, module, is_folder):
    """The dotted names that an import statement may mean, without the package's own name."""
    if isinstance(node, ast.Import):
        return [alias.name.removeprefix(package).lstrip(".") for alias in node.names
                if alias.name.split(".")[0] == package]  # fmt: skip
    if not isinstance(node, ast.ImportFrom):
        return []
    base = node.module or ""
    if node.level:
        parts = [part for part in module.split(".") if part]
        up = node.level - (1 if is_folder else 0)
        parts = parts[: len(parts) - up] if up else parts
        base = ".".join([*parts, *([base] if base else [])])
    elif base.split(".")[0] == package:
        base = base.removeprefix(package).lstrip(".")
    else:
        return []
    return [f"{base}.{alias.name}".lstrip(".") for alias in node.names]


def imports_of(folder):
    """(module, imported module) -> line of the first such import."""
    modules = modules_of(folder)
    found = {}
    for module, path in modules.items():
        if path.suffix != ".py":
            continue
        is_folder = path.name == "__init__.py"
        for node in ast.walk(ast.parse(path.read_text(), str(path))):
            for name in imported_names(node, folder.name, module, is_folder):
                while name not in modules:  # a name in a module, or in the package itself
                    name = name.rpartition(".")[0]
                if name != module or not is_folder:
                    found.setdefault((module, name), node.lineno)
    return found


def circles(imports):
    """Circles as the modules along them: none only where there is none. A module that imports itself is one."""
    after = {}
    for module, imported in imports:
        after.setdefault(module, set()).add(imported)
    found, done = [], set()

    def visit(module, path):
        if module in path:
            circle = path[path.index(module) :]
            least = circle.index(min(circle))
            circle = circle[least:] + circle[:least]
            if circle not in found:
                found.append(circle)
            return
        if module in done:
            return
        for imported in sorted(after.get(module, ())):
            visit(imported, [*path, module])
        done.add(module)

    for module in sorted(after):
        visit(module, [])
    return found


def check(folder, rows=None):
    """Returns a message for every circle below `folder` and, with `rows`, every import that goes up."""
    folder = pathlib.Path(folder)
    modules, imports = modules_of(folder), imports_of(folder)

    def named(module):
        return module or folder.name

    def place(module, imported):
        path = modules[module]
        return f"{path}:{imports[module, imported]}"

    messages = []
    for circle in circles(imports):
        way = " -> ".join(named(module) for module in [*circle, circle[0]])
        messages.append(f"{place(circle[0], [*circle, circle[0]][1])}: circle: {way}")
    if rows is None:
        return messages
    height = {module: number for number, row in enumerate(rows) for module in row}
    messages += [f"{modules[module]}:1: {named(module)} is in no row" for module in modules if module not in height]
    for module, imported in sorted(imports):
        if module in height and imported in height and height[imported] >= height[module]:
            text = f"{named(module)} may not import {named(imported)}, which is not below it"
            messages.append(f"{place(module, imported)}: {text}")
    return messages


def main():
    root = pathlib.Path(__file__).parents[1]
    messages = check(sys.argv[1]) if len(sys.argv) > 1 else check(root / "python/papilio", ROWS)
    print("\n".join(messages), end="\n" if messages else "")
    return 1 if messages else 0


if __name__ == "__main__":
    sys.exit(main())
