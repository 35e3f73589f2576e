"""The command ``papilio``: ``python -m papilio train corpus.txt -k 100`` does what ``papilio train ...`` does.

The command is a program of its own, in the package's folder ``bin``; it takes the place of this process, so that
signals, exit statuses and standard streams are its own.
"""

from __future__ import annotations

import os
import pathlib
import sys
from typing import NoReturn


def main() -> NoReturn:
    command = pathlib.Path(__file__).with_name("bin") / "papilio"
    if not command.exists():
        sys.exit(f"papilio: the command is not part of this installation (no file {command}); install the package by pip")
    os.execv(command, ["papilio", *sys.argv[1:]])


if __name__ == "__main__":
    main()
