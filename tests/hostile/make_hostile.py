#!/usr/bin/env python3
"""Writes every hostile file below a folder, each with the command that it is for and how that must end.

  make_hostile.py path/to/papilio FOLDER

makes FOLDER/000, FOLDER/001, ... and FOLDER/cases.json. Always the same files for the same papilio.
"""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from bag_cases import bag_cases
from binary_cases import CORPUS, binary_cases
from cases import TRAIN
from text_cases import text_cases
from word_cases import word_cases


def bases(command):
    """A model, a checkpoint, a corpus file, and a model of sparse counts, as papilio writes them."""
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        (folder / "x.txt").write_bytes(CORPUS)
        sparse = ("train", "--sweeps", "1", "-k", "2048", "-o", "sparse", "-q", "--threads", "2")
        for arguments in ((*TRAIN, "x.txt", "--checkpoint", "checkpoint"), ("import", "x.txt", "-o", "corpus"),
                          (*sparse, "x.txt")):
            subprocess.run([command, *arguments], cwd=folder, check=True, stdout=subprocess.DEVNULL,
                           stderr=subprocess.DEVNULL)
        return [(folder / name).read_bytes() for name in ("model", "checkpoint", "corpus", "sparse")]


def all_cases(command):
    return text_cases() + word_cases() + bag_cases() + binary_cases(*bases(command))


def write_case(case, folder):
    """Writes the files of a case. Content that begins with "->" is where a symbolic link leads."""
    for name, data in case.files.items():
        path = os.path.join(folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        if isinstance(data, str):
            os.symlink(data[2:], path)
        else:
            with open(path, "wb") as file:
                file.write(data)


def write_all(command, folder):
    described = []
    for number, case in enumerate(all_cases(command)):
        place = os.path.join(folder, f"{number:03}")
        os.makedirs(place)
        write_case(case, place)
        described.append({"folder": f"{number:03}", "name": case.name, "file": case.file, "arguments": case.arguments,
                          "refused": case.refused, "says": case.says})
    with open(os.path.join(folder, "cases.json"), "w", encoding="utf-8") as file:
        json.dump(described, file, indent=1)
    return described


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    os.makedirs(sys.argv[2], exist_ok=True)
    print(f"{len(write_all(os.path.abspath(sys.argv[1]), sys.argv[2]))} files")
