"""What docs/loops.md shows is what loopdep prints: python3 docs_test.py path/to/loopdep docs/loops.md.

A block of C is the input of the text blocks that follow it and begin with "$ loopdep".
"""

import pathlib
import re
import shlex
import subprocess
import sys
import tempfile


def main():
    program, page = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).read_text()
    blocks = re.findall(r"^```(\w*)\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    source, count, wrong = "", 0, 0
    with tempfile.TemporaryDirectory() as folder:
        for language, text in blocks:
            if language == "c":
                source = text
            if not text.startswith("$ loopdep "):
                continue
            command, _, shown = text.partition("\n")
            arguments = shlex.split(command)[2:]
            (pathlib.Path(folder) / arguments[0]).write_text(source)
            done = subprocess.run([program, *arguments], cwd=folder, stdout=subprocess.PIPE, text=True, timeout=60)
            count += 1
            if done.stdout != shown:
                wrong += 1
                print(f"{command}\nshown:\n{shown}\nprinted:\n{done.stdout}")
    print(f"{count} commands, {wrong} differ")
    return 1 if wrong or count == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
