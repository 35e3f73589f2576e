"""MALLET's ParallelTopicModel, by MalletRace.java, with the heap that MALLET's own script gives it (or 4 GiB where that is short)."""

import os
import pathlib

from report import GRID


def run(options, held_words):
    tools = pathlib.Path(options.tools)
    mallet = tools / "mallet"
    places = [tools / "classes", mallet / "class", mallet / "lib" / "mallet-deps.jar"]
    command = ["java", f"-Xmx{os.environ.get('MALLET_MEMORY', '1g')}", "-server", "-cp", ":".join(map(str, places)), "MalletRace",
               options.corpus, options.snapshots, options.topics, options.beta, options.threads, options.seed + 1,
               options.limit, *GRID]
    os.execvp("java", list(map(str, command)))
