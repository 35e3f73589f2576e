"""The runs of each machine are a race of their own: what was measured on one is never divided by what was measured on another."""

import json
import pathlib
import re

import records

HERE = pathlib.Path(__file__).resolve().parent
TARGETS = json.loads((HERE / "targets.json").read_text())
NAMES = {"mallet": "MALLET", "tomotopy": "tomotopy", "gensim": "gensim", "sklearn": "scikit-learn"}
ORDER = ["mallet", "tomotopy", "gensim", "sklearn"]


def place(system):
    return (0, 0, system) if system.startswith("papilio") else (1, ORDER.index(system), system)


def shown(system):
    return NAMES.get(system, system)


def split(runs):
    """[(about, the machine's runs)], the current race first: machines that races.json does not know, then those in its order."""
    known = json.loads((HERE / "races.json").read_text())
    machines = {r["machine"] for r in runs}
    new = [{"machine": m, "name": re.sub(r"\W+", "-", m).strip("-").lower(), "title": m} for m in sorted(machines - {k["machine"] for k in known})]
    return [(about, [r for r in runs if r["machine"] == about["machine"]]) for about in new + known if about["machine"] in machines]


def current(runs):
    """The runs of the race in races.json that comes first."""
    first = json.loads((HERE / "races.json").read_text())[0]["machine"]
    return [r for r in runs if r["machine"] == first]


def groups(runs):
    """{(corpus, topics, threads): {system: its least disturbed record}}, one thread first."""
    found = {}
    for record in sorted(records.best(runs).values(), key=lambda r: (r["threads"], r["corpus"], r["topics"], place(r["system"]))):
        found.setdefault((record["corpus"], record["topics"], record["threads"]), {})[record["system"]] = record
    return found


def seconds(runs, corpus, topics, threads, system, target):
    """The seconds that a system took to the target."""
    found = groups(runs).get((corpus, topics, threads), {}).get(system)
    reached = found and records.reached(found["curve"], target)
    if not reached:
        raise LookupError(f"{system} is not at {target} of {corpus}, K = {topics}, {threads} threads")
    return reached[0]


def ratio(records_of, base, system, target):
    """How many times as long as the base a system took to reach the target.

    Begins with "> " where the system did not reach it, with "< " where the base did not.
    """
    if not target or base not in records_of or system not in records_of:
        return "-"
    own, other = records_of[base]["curve"], records_of[system]["curve"]
    own_found, found = records.reached(own, target), records.reached(other, target)
    if not own_found and not found:
        return "-"
    share = (found[0] if found else other[-1]["seconds"]) / (own_found[0] if own_found else own[-1]["seconds"])
    return ("" if own_found and found else "> " if own_found else "< ") + f"{share:#.2g}".rstrip(".")


def configuration(key):
    corpus, topics, threads = key
    return f"{corpus}, K = {topics:,}, {threads} thread{'s' * (threads > 1)}"


def summary(runs, base="mallet", targets=None):
    """One table of all races: a column for each system of each, but for papilio's configurations with further options."""
    targets = TARGETS if targets is None else targets
    races = [groups(of_machine) for _, of_machine in split(runs)]
    columns = [(number, system) for number, race in enumerate(races) for system in sorted({s for g in race.values() for s in g}, key=place)
               if system != base and not system.startswith("papilio-")]
    name = lambda number, system: shown(system) + (", earlier" * (number == 1) or ", then" * number if system == "papilio" else "")  # noqa: E731
    lines = [f"| seconds to the target, as a multiple of {shown(base)}'s on the same machine | target | "
             + " | ".join(name(*column) for column in columns) + " |", "| --- | ---: |" + " ---: |" * len(columns)]
    for key in sorted({k for race in races for k in race}, key=lambda k: (k[2], k[0], k[1])):
        target = targets.get(key[0], {}).get(str(key[1]))
        cells = [ratio(races[number].get(key, {}), base, system, target) for number, system in columns]
        if any(cell != "-" for cell in cells):
            lines.append(f"| {configuration(key)} | {target or '-'} | {' | '.join(cells)} |")
    return lines
