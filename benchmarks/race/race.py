#!/usr/bin/env python3
"""One run of the race, or one part of it.

    race.py prepare --work WORK --data FOLDER NAME...    corpora FOLDER/NAME/docword.NAME.txt (or FOLDER/docword...)
    race.py run     --work WORK --corpus NAME --topics K --threads T --system SYSTEM [--papilio PATH] [--options "..."]
    race.py score   --work WORK                          perplexities of runs made with --score-later

SYSTEM is tomotopy, gensim, sklearn, mallet, or any name that begins with papilio: a configuration of `papilio train`,
whose further options are --options. A run that is in WORK/records.jsonl already is not run again, unless others used more than
2 % of a core beside it (two repetitions at most). WORK is what setup.sh made.
"""

import argparse
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

import records
import watch

HERE = pathlib.Path(__file__).resolve().parent
PEERS = ("tomotopy", "gensim", "sklearn", "mallet")
BETA = 0.01
ALPHA_SUM = 50
LIMITS = {1: (60, 120), 2: (40, 60)}  # seconds by threads: below 500 topics, and from there
SCORED = (20, 60, 120, 200)  # sweeps; and what surrounds the target
LIMIT_OF_SLOW = {1: 60, 2: 30}  # gensim and scikit-learn, which do not come near the target in twice the time


def limit(options):
    if options.limit:
        return options.limit
    threads = min(options.threads, 2)
    if options.system in ("gensim", "sklearn"):
        return LIMIT_OF_SLOW[threads]
    return LIMITS[threads][options.topics >= 500]


def child(options):
    """Runs one system in this process; standard output is events."""
    import importlib

    import corpus
    import scorer

    held_out = scorer.complete(corpus.documents(options.corpus, "held_out"), corpus.meta(options.corpus)["words"])
    name = "papilio" if options.system.startswith("papilio") else options.system
    importlib.import_module(f"run_{name}").run(options, held_out.words)


def environment(threads):
    names = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS", "BLIS_NUM_THREADS")
    return os.environ | {name: str(threads) for name in names}


def execute(options, folder, snapshots):
    """Starts the child on as many processors as threads; returns its events and the use of the machine."""
    processors = f"{options.processor}-{options.processor + options.threads - 1}"
    command = ["taskset", "-c", processors, sys.executable, HERE / "race.py", "child",
               "--corpus", folder, "--topics", options.topics, "--threads", options.threads, "--system", options.system,
               "--limit", limit(options), "--alpha", repr(ALPHA_SUM / options.topics), "--snapshots", snapshots,
               "--tools", options.work, f"--options={options.options}", "--seed", options.seed]
    if options.papilio:
        command += ["--papilio", options.papilio]
    busy, stolen, own, begin = *watch.machine_seconds(), watch.own_seconds(), time.monotonic()
    process = subprocess.Popen(list(map(str, command)), stdout=subprocess.PIPE, env=environment(options.threads), text=True)
    # json.loads would take NaN for a number; systems print none.
    events = [json.loads(line) for line in process.stdout if line.startswith("{")]
    status = process.wait()
    watch.reap()
    elapsed = time.monotonic() - begin
    busy_after, stolen_after = watch.machine_seconds()
    used = watch.own_seconds() - own
    if status != 0 or not any(e["event"] == "end" for e in events):
        raise SystemExit(f"race: {options.system} ended with status {status}")
    others = max(0.0, busy_after - busy - used - options.beside * elapsed)
    return events, {"others": round(others / elapsed, 4), "beside": options.beside,
                    "stolen": round((stolen_after - stolen) / elapsed, 4), "elapsed": round(elapsed, 1)}


def run(options):
    where, table = records.machine(), options.work / "records.jsonl"
    wanted = (options.corpus, options.topics, options.threads, options.system)
    folder = options.work / options.corpus
    tokens = json.loads((folder / "meta.json").read_text())["tokens"]
    watch.adopt_orphans()
    while records.needed(records.read(table), wanted, where):
        snapshots = pathlib.Path(tempfile.mkdtemp(prefix="run-", dir=options.work))
        events, use = execute(options, folder, snapshots)
        start, end = (next(e for e in events if e["event"] == kind) for kind in ("start", "end"))
        curve = [{k: e[k] for k in ("sweep", "seconds", "file")} for e in events if e["event"] == "snapshot"]
        record = dict(zip(records.KEY, wanted), machine=where, date=records.today(), commit=records.commit(HERE), seed=options.seed,
                      options=options.options, version=start.get("version", ""), detail=start.get("detail", ""), limit=limit(options),
                      sweeps=end["sweeps"], seconds=end["seconds"], **use,
                      peak_bytes=max((e["peak_bytes"] for e in events if e["event"] == "snapshot"), default=0),
                      tokens=tokens, curve=curve, snapshots=snapshots.name)
        records.append(table, record)
        print(f"{' '.join(map(str, wanted))}: {end['sweeps']:.4g} sweeps in {end['seconds']:.1f} s, others {use['others']:.1%} "
              f"of a core, stolen {use['stolen']:.1%}", flush=True)
        if not options.score_later:
            score(options)
        if options.once:
            break


def score_point(work, record, held_out, point):
    import scorer
    import snapshots

    folder, place = work / record["corpus"], work / record["snapshots"]
    phi = snapshots.load(place / point["file"], folder, record["topics"], BETA, held_out.words)
    return scorer.perplexity(phi, held_out, ALPHA_SUM / record["topics"])


def first_choice(curve):
    """The places of the points that are scored in any case, about the same on all curves."""
    nearest = (min(range(len(curve)), key=lambda i: abs(curve[i]["sweep"] - sweep)) for sweep in SCORED if curve)
    return sorted({*nearest, len(curve) - 1})


def between(curve, target):
    """The place in the middle between the last scored point above the target and the first that is not; None where they are
    neighbours, or the curve never gets there."""
    scored = [i for i, point in enumerate(curve) if "perplexity" in point]
    there = next((i for i in scored if curve[i]["perplexity"] <= target), None)
    if there is None:
        return None
    middle = (max((i for i in scored if i < there), default=-1) + there) // 2
    return None if middle < 0 or "perplexity" in curve[middle] else middle


def score_record(record, work, jobs):
    """Scores a part of a run's points: some all along, and those around the target. The others leave the record."""
    import concurrent.futures

    import corpus
    import scorer

    folder, curve = work / record["corpus"], record["curve"]
    held_out = scorer.complete(corpus.documents(folder, "held_out"), corpus.meta(folder)["words"])
    target = json.loads((HERE / "targets.json").read_text()).get(record["corpus"], {}).get(str(record["topics"]), 0)
    with concurrent.futures.ProcessPoolExecutor(jobs) as pool:
        def score_places(places):
            scored = [(curve[i], pool.submit(score_point, work, record, held_out, curve[i])) for i in places]
            for point, result in scored:
                value, record["scored_tokens"] = result.result()
                point["perplexity"] = round(value, 2)

        score_places(first_choice(curve))
        while (middle := between(curve, target)) is not None:
            score_places([middle])
    record["curve"] = [{k: v for k, v in point.items() if k != "file"} for point in curve if "perplexity" in point]
    print(f"{' '.join(map(str, records.key(record)))}: {curve[-1]['perplexity']} ({record['scored_tokens']} tokens)", flush=True)
    shutil.rmtree(work / record.pop("snapshots"))


def score(options):
    table = options.work / "records.jsonl"
    unscored = [(number, record) for number, record in enumerate(records.read(table)) if "snapshots" in record]
    for number, record in unscored[:options.most]:
        score_record(record, options.work, options.jobs)
        records.replace(table, number, record)


def prepare(options):
    import corpus

    for name in options.names:
        folder = options.data / name if (options.data / name).is_dir() else options.data
        if not (options.work / name / "meta.json").exists():
            print(corpus.prepare(folder, name, options.work / name), flush=True)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("part", choices=("prepare", "run", "score", "child"))
    parser.add_argument("names", nargs="*")
    parser.add_argument("--work", type=pathlib.Path)
    parser.add_argument("--data", type=pathlib.Path)
    parser.add_argument("--corpus")
    parser.add_argument("--topics", type=int)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--system")
    parser.add_argument("--papilio", type=lambda path: str(pathlib.Path(path).resolve()))
    parser.add_argument("--options", default="", help="of papilio train")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--limit", type=float, help="seconds of training; by default %s" % LIMITS)
    parser.add_argument("--processor", type=int, default=0, help="the first processor of the run")
    parser.add_argument("--beside", type=int, default=0, help="number of other runs of the race, each with a processor of its own")
    parser.add_argument("--once", action="store_true", help="do not repeat a run that others disturbed")
    parser.add_argument("--score-later", action="store_true")
    parser.add_argument("--jobs", type=int, default=1, help="processes that score")
    parser.add_argument("--most", type=int, help="score at most this many runs")
    parser.add_argument("--alpha", type=float, help=argparse.SUPPRESS)
    parser.add_argument("--snapshots", help=argparse.SUPPRESS)
    parser.add_argument("--tools", help=argparse.SUPPRESS)
    parser.set_defaults(beta=BETA)
    options = parser.parse_args()
    if options.part in ("run", "child") and options.system not in PEERS and not str(options.system).startswith("papilio"):
        parser.error(f"--system: {' '.join(PEERS)} or a name that begins with papilio; got {options.system}")
    if options.part in ("run", "child") and str(options.system).startswith("papilio") and not options.papilio:
        parser.error("--papilio names the program")
    return options


if __name__ == "__main__":
    chosen = arguments()
    {"prepare": prepare, "run": run, "score": score, "child": child}[chosen.part](chosen)
