#!/usr/bin/env python3
"""Fails when a public name has no contract test.

    tools/check_contracts.py [ROOT]

Public are the types and functions that include/papilio/*.h declares. A contract test is a test in a file
tests/**/contracts_test.cpp: it says what the name does with null, negative, misaligned, overlapping, moved-from and
unknown arguments. A name counts as tested where it is spelled in the code of such a file; `UNTESTED` lists the few
that need no test, each with its reason.
"""

import pathlib
import re
import sys

# Name: why nothing that a caller does with it can go wrong.
UNTESTED = {
    "Progress": "made by train only",
    "SweepDraws": "made by train only",
    "HeldOutScore": "made by train only",
    "remove_unfinished_files": "takes nothing",
}

COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
STRING = re.compile(r'"(?:[^"\\\n]|\\.)*"')
TYPE = re.compile(r"\b(?:struct|enum\s+class|enum|class)\s+([A-Za-z_]\w*)\s*(?=[:{]|$)")
CALL = re.compile(r"(?<![\w.>])~?([A-Za-z_]\w*)\s*\(")
NO_FUNCTIONS = {"requires", "bool", "void", "decltype", "alignas", "sizeof", "noexcept", "explicit"}


def code_of(text):
    """The text without comments, strings and preprocessor lines."""
    text = STRING.sub('""', COMMENT.sub("", text))
    return re.sub(r"^\s*#[^\n]*", "", text, flags=re.MULTILINE)


def function_names(declaration):
    """The function that a declaration declares, if it is one."""
    call = next((c for c in CALL.finditer(declaration) if c.group(1) not in NO_FUNCTIONS), None)
    if call is None or "operator" in declaration or "~" in declaration or "=" in declaration[: call.start()]:
        return set()
    return {call.group(1)}


def public_names(header):
    """The types and functions that a header declares outside of function bodies and of the namespace detail."""
    names, scopes, private, start = set(), [], [], 0
    code = code_of(header)
    for place, char in enumerate(code):
        if char not in "{};":
            continue
        declaration = code[start:place]
        start = place + 1
        if private and re.search(r"\b(private|protected)\s*:", declaration):
            private[-1] = True
        found_type = TYPE.search(declaration)
        if all(scopes) and not any(private):
            if found_type and char == "{":
                names.add(found_type.group(1))
            elif not found_type:
                names |= function_names(declaration)
        if char == "{":
            is_type = found_type is not None and not re.search(r"\benum\b", declaration)
            scopes.append(is_type or re.search(r"\bnamespace\b(?!\s+detail\b)", declaration) is not None)
            private.append(False)
        elif char == "}" and scopes:
            scopes.pop()
            private.pop()
    return names


def names_without_test(root):
    headers = sorted((root / "include/papilio").glob("*.h"))
    declared = {name: header.name for header in headers for name in public_names(header.read_text())}
    tests = sorted((root / "tests").rglob("contracts_test.cpp"))
    words = set(re.findall(r"\w+", "\n".join(code_of(test.read_text()) for test in tests)))
    missing = [f"include/papilio/{header}: {name} has no contract test (tests/**/contracts_test.cpp)"
               for name, header in sorted(declared.items()) if name not in words and name not in UNTESTED]
    stale = [f"tools/check_contracts.py: UNTESTED names {name}, which "
             + ("is not public" if name not in declared else "has a contract test")
             for name in UNTESTED if name not in declared or name in words]
    return declared, missing + stale


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else __file__).resolve()
    root = root if root.is_dir() else root.parent.parent
    declared, faults = names_without_test(root)
    for fault in faults:
        print(fault)
    print(f"{len(declared)} public names, {len(faults)} faults")
    return 1 if faults or not declared else 0


if __name__ == "__main__":
    sys.exit(main())
