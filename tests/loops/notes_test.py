"""Verdicts of the loops in a folder of C files, compared with its expected.txt: python3 notes_test.py path/to/loopdep
FOLDER [--matrix] [--write]. With --matrix, their direction matrices and all transformations too.
"""

import difflib
import json
import pathlib
import subprocess
import sys

def lines_of(program, path, with_matrix):
    done = subprocess.run([program, path.name, "--json"], cwd=path.parent, stdout=subprocess.PIPE, check=True, timeout=60)
    for loop in json.loads(done.stdout)["loops"]:
        yield f"{path.name}:{loop['line']} {loop['function']} {loop['variable'] or '-'} {loop['verdict']}"
        for c in loop["clauses"]:
            yield f"  {c['kind']}({c['variable']}) {c['detail']}".rstrip()
        for condition in loop["condition"]:
            yield f"  if {condition}"
        if loop["witness"]:
            w = loop["witness"]
            ends = [f"line {e['line']} ({', '.join(e['iteration'])})" for e in (w["source"], w["sink"])]
            yield f"  {w['kind']} {w['variable']}: {' -> '.join(ends)}; {', '.join(w['values'])}"
        for t in loop["transformations"]:
            if not with_matrix and t["kind"] not in ("distribute", "privatize"):
                continue
            yield f"  {t['kind']} {t['detail']}"
        for d in loop["matrix"] if with_matrix else ():
            row = ", ".join(d["directions"])
            exact = "" if d["exact"] else "  not ruled out"
            yield f"  [{row}] {d['kind']} {d['variable']} {d['source']['line']} -> {d['sink']['line']}{exact}"


def main():
    program = str(pathlib.Path(sys.argv[1]).resolve())
    folder = pathlib.Path(sys.argv[2]).resolve()
    with_matrix = "--matrix" in sys.argv
    found = [line for path in sorted(folder.glob("*.c")) for line in lines_of(program, path, with_matrix)]
    golden = folder / "expected.txt"
    if "--write" in sys.argv:
        golden.write_text("\n".join(found) + "\n")
        return 0
    wanted = golden.read_text().splitlines()
    differences = list(difflib.unified_diff(wanted, found, "expected.txt", "found", lineterm=""))
    print("\n".join(differences) or f"{len(found)} lines as expected")
    return 1 if differences or not found else 0


if __name__ == "__main__":
    sys.exit(main())
