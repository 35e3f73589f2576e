#!/usr/bin/env python3
"""Adds up the results of a test run; the last line is "N passed, N failed".

    tools/test_summary.py FOLDER

Each step of the run left NAME.status (its exit status) in FOLDER, and with it
either NAME.xml (JUnit, by ctest) or NAME.log. A step whose log ends in "N passed,
N failed" counts as that many tests, which its lines "FAILED NAME" name; any other
step counts as one. An entry SUITE.* of
ctest ran all cases of a suite: they count one by one, as GoogleTest's report has
them, SUITE.xml in the folder that NAME.suites names. Failed and skipped tests are
listed by name. The exit status is 1 unless tests passed and none failed.
"""

import pathlib
import re
import sys
import xml.etree.ElementTree as ElementTree

LEFT_TO = {"long": "./run test --all", "nightly": "the nightly suite"}  # by label, as NAME.LABEL in the folder lists
COUNTS = re.compile(r"^(\d+) passed, (\d+) failed(?:, (\d+) skipped)?$")


class Totals:
    def __init__(self):
        self.passed = 0
        self.failed = []
        self.skipped = []

    def add(self, other):
        self.passed += other.passed
        self.failed += other.failed
        self.skipped += other.skipped


def read_suite(entry, passed, suites, step):
    """Counts the cases of a suite that ctest ran as one entry. An entry that failed and whose report has no
    failed case (it crashed, or took too long) is a failed test, and so is one without a report."""
    totals = Totals()
    name = entry.removesuffix(".*")
    try:
        root = ElementTree.parse(suites / f"{name.replace('/', '.')}.xml").getroot()
    except (OSError, ElementTree.ParseError):
        totals.failed.append(f"{step}: {entry}")
        return totals
    for case in root.iter("testcase"):
        value = case.get("value_param") or case.get("type_param")
        case_name = f"{step}: {name}.{case.get('name')}{f' ({value})' if value else ''}"
        if case.find("failure") is not None:
            totals.failed.append(case_name)
        elif case.find("skipped") is not None or case.get("result") in ("skipped", "suppressed"):
            totals.skipped.append(case_name)
        else:
            totals.passed += 1
    if passed == bool(totals.failed) or not totals.passed + len(totals.skipped) + len(totals.failed):
        totals.failed.append(f"{step}: {entry}")
    return totals


def read_junit(path, step, suites):
    """Counts the cases of a report by ctest, or by pytest, which gives no status. A case that was not
    run for any other reason than its own wish failed."""
    totals = Totals()
    seen = set()
    for case in ElementTree.parse(path).getroot().iter("testcase"):
        name = f"{step}: {case.get('name')}"
        status = case.get("status")
        if status in ("run", "fail") and case.get("name").endswith(".*"):
            if name in seen:  # the report is that of one of them
                totals.failed.append(f"{name}: two suites have this name")
            else:
                totals.add(read_suite(case.get("name"), status == "run", suites, step))
            seen.add(name)
            continue
        if status is None:
            if case.find("failure") is not None or case.find("error") is not None:
                totals.failed.append(name)
            elif case.find("skipped") is not None:
                totals.skipped.append(f"{name}: {case.find('skipped').get('message', '')}")
            else:
                totals.passed += 1
            continue
        skip = case.find("skipped")
        wish = skip is not None and skip.get("message", "").startswith("SKIP_")
        if status == "run":
            totals.passed += 1
        elif status == "disabled" or (status == "notrun" and wish):
            totals.skipped.append(name)
        else:
            totals.failed.append(name)
    return totals


def read_log(path, step, status):
    """Counts a step by the last line of its log, or as one test."""
    totals = Totals()
    lines = [line.strip() for line in path.read_text(errors="replace").splitlines() if line.strip()]
    if lines and lines[-1].startswith("skipped: "):
        totals.skipped.append(f"{step}: {lines[-1].removeprefix('skipped: ')}")
        return totals
    counts = COUNTS.match(lines[-1]) if lines else None
    if counts:
        totals.passed = int(counts[1])
        named = [line.removeprefix("FAILED").strip() for line in lines if line.startswith("FAILED ")]
        named = (named + ["see above"] * int(counts[2]))[:int(counts[2])]
        totals.failed = [f"{step}: {what}" for what in named]
        totals.skipped = [f"{step}: see above"] * int(counts[3] or 0)
    elif status == 0:
        totals.passed = 1
    return totals


def read_step(folder, step):
    status = int((folder / f"{step}.status").read_text() or 1)
    report = folder / f"{step}.xml"
    log = folder / f"{step}.log"
    totals = Totals()
    if report.exists():
        try:
            suites = folder / f"{step}.suites"
            totals = read_junit(report, step, pathlib.Path(suites.read_text().strip()) if suites.exists() else folder)
        except ElementTree.ParseError as error:
            totals.failed.append(f"{step}: {report}: {error}")
    elif log.exists():
        totals = read_log(log, step, status)
    if status != 0 and not totals.failed:
        said = log.read_text(errors="replace").split("\n") if log.exists() else []
        last = [line.strip() for line in said if line.strip()][-1:]
        totals.failed.append(": ".join([step, f"exit status {status}", *last]))
    if not (totals.passed or totals.failed or totals.skipped):
        totals.failed.append(f"{step}: no tests")
    return totals


def main():
    folder = pathlib.Path(sys.argv[1])
    totals = Totals()
    for path in sorted(folder.glob("*.status")):
        totals.add(read_step(folder, path.stem))
    for label, suite in LEFT_TO.items():
        for path in sorted(folder.glob(f"*.{label}")):
            tests = re.findall(r"^ *Test +#\d+: (\S+)", path.read_text(), re.MULTILINE)
            if tests:
                print(f"left to {suite} ({path.stem}): {', '.join(tests)}")
    for name in totals.skipped:
        print(f"skipped  {name}")
    for name in totals.failed:
        print(f"FAILED   {name}")
    skipped = f", {len(totals.skipped)} skipped" if totals.skipped else ""
    print(f"{totals.passed} passed, {len(totals.failed)} failed{skipped}")
    return 1 if totals.failed or totals.passed == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
