"""No loop is called parallel that is not: python3 oracle_test.py path/to/loops_faulty NESTS [SEED].

Random nests are written as C, judged, and run as Python with every access logged, for small sizes. A loop that is
called parallel must have no two iterations of one run that touch the same element of which one writes it, but through
what its clauses name; and those must have the effect that they claim. An analysis with a planted fault must fail.
"""

import collections
import json
import os
import random
import re
import subprocess
import sys
import unittest
import zlib

PROGRAM = ""
NESTS = 0
SEED = 20261123
SIZES = ((3, 2), (5, 4), (4, 7), (9, 3))
FAULTS = {1: "output dependences left out", 2: "anti-dependences left out", 4: "distance 1 overlooked",
          5: "unknown subscripts taken for distinct"}


class Nest:
    """One function: its C text, and the same as Python that logs what it touches."""

    def __init__(self, name, rng):
        self.name, self.rng = name, rng
        self.c, self.py = [], []
        self.loops = []  # (line offset, is affine), in the order of the text
        self.affine = True
        self.c.append(f"void {name}(int n, int p, int *restrict a, int *restrict b, int (*restrict m)[64],")
        self.c.append(f"    const int *restrict x, int k) {{ int s = 0, t = 1;")
        self.py.append("def run(n, p, k, x, get, put, enter, turn, leave):\n s = 0; t = 1")
        for _ in range(rng.choice((1, 1, 2))):
            self.loop(1, [])
        if rng.random() < 0.3:
            self.assign(1, [], "a[0]", ("a", "0"), "s")
        self.c.append("}")

    def line(self, depth, c, py=None):
        self.c.append(" " * depth + c)
        if py is not None:
            self.py.append(" " * depth + py)

    def affine_value(self, names):
        rng = self.rng
        if not names or rng.random() < 0.1:
            return rng.choice(("0", "1", "n", "p", "3"))
        text = rng.choice(names)
        if rng.random() < 0.2:
            text = f"{rng.choice((2, 3, -1))} * {text}"
        if rng.random() < 0.2 and len(names) > 1:
            text += rng.choice((" + ", " - ")) + rng.choice(names)
        if rng.random() < 0.5:
            text += rng.choice((" - 1", " + 1", " + 2", " - 2", " + 7"))
        if rng.random() < 0.06:
            text += rng.choice((" + n", " + p", " - n"))
        return text

    def subscript(self, names):
        """C text, Python text; not affine now and then."""
        rng = self.rng
        if names and rng.random() < 0.12:
            self.affine = False
            i = rng.choice(names)
            kind = rng.randrange(5)
            if kind == 0:
                return f"x[{i} & 7]", f"get('x', ({i}) & 7)"
            if kind == 1:
                return f"{i} * {rng.choice(names)}", None
            if kind == 2:
                return f"({i} + 8) / 2", f"({i} + 8) // 2"
            if kind == 3:
                return f"({i} + 8) % 3", None
            return rng.choice(("s", "k")), None
        if len(names) > 1 and rng.random() < 0.15:
            self.affine = False
            i, j = rng.sample(names, 2)
            return f"{i} * {rng.choice('np')} + {j}" + rng.choice(("", "", " - 1", " + 1")), None
        return self.affine_value(names), None

    def element(self, names):
        array = self.rng.choice("aabm")
        c, py = self.subscript(names)
        if array != "m":
            return f"{array}[{c}]", (array, py or c)
        d, qy = self.subscript(names)
        return f"m[{c}][{d}]", ("m", f"({py or c}, {qy or d})")

    def value(self, names):
        rng = self.rng
        if rng.random() < 0.25:
            v = rng.choice(("s", "t", "k"))
            return v, f"scalar({v!r}, {v})"
        c, (array, py) = self.element(names)
        return c, f"get({array!r}, {py})"

    def assign(self, depth, names, c, target, value, py=None):
        self.line(depth, f"{c} = {value};", f"put({target[0]!r}, {target[1]}, {py or value})")

    def statement(self, depth, names):
        rng = self.rng
        kind = rng.random()
        if kind < 0.45:
            c, target = self.element(names)
            v, py = self.value(names)
            self.line(depth, f"{c} = {v} + 1;", f"v = {py}; put({target[0]!r}, {target[1]}, v + 1)")
        elif kind < 0.6:
            c, target = self.element(names)
            v, py = self.value(names)
            op = rng.choice("+^")
            own = target[0]
            if f"{own}[" in v or f"{own}[" in c[2:]:
                op_name = None
            else:
                op_name = op
            self.line(depth, f"{c} {op}= {v};",
                      f"q = {target[1]}; w = get({own!r}, q, {op_name!r}); put({own!r}, q, w {op} {py}, {op_name!r})")
        elif kind < 0.75:
            v = rng.choice("st")
            e, py = self.value(names)
            self.line(depth, f"{v} = {e};", f"{v} = {py}; wrote({v!r})")
        elif kind < 0.87:
            v = rng.choice("sk")
            if rng.random() < 0.6:
                self.line(depth, f"{v} += 1;", f"scalar({v!r}, 0, '+'); {v} += 1; wrote({v!r}, '+')")
            else:
                e, py = self.value(names)
                op = None if re.search(rf"\b{v}\b", e) else "+"
                self.line(depth, f"{v} += {e};",
                          f"w = scalar({v!r}, {v}, {op!r}); {v} = w + {py}; wrote({v!r}, {op!r})")
        elif kind < 0.97 or not names:
            if names and rng.random() < 0.6:
                text = f"{rng.choice(names)} {rng.choice(('<', '>', '<=', '==', '!='))} {self.affine_value(names)}"
                self.line(depth, f"if ({text}) {{", f"if {text}:")
            else:
                e, py = self.value(names)
                self.line(depth, f"if ({e} > 2) {{", f"if {py} > 2:")
            self.block(depth, names)
            if rng.random() < 0.3:
                self.line(depth, "} else {", "else:")
                self.block(depth, names)
            self.line(depth, "}")
        else:
            e, py = self.value(names)
            word = rng.choice(("break", "continue"))
            self.affine = False
            self.line(depth, f"if ({e} > 5) {word};", f"if {py} > 5: {word}")

    def block(self, depth, names):
        for _ in range(self.rng.choice((1, 1, 2))):
            self.statement(depth + 1, names)

    def loop(self, depth, names):
        rng, i = self.rng, "ijl"[len(names)]
        number = len(self.loops)
        self.loops.append(None)
        line = len(self.c)
        low = rng.choice(("0", "0", "1", "2"))
        high = rng.choice(["n", "n", "p", "n - 1", "5"] + [name for name in names] + [f"{name} + 1" for name in names])
        form = rng.randrange(8)
        outer_affine, self.affine = self.affine, True
        if form == 0:
            head, turns = f"for (int {i} = {high}; {i} >= {low}; {i}--) {{", f"range({high}, {low} - 1, -1)"
        elif form == 1:
            head, turns = f"for (int {i} = {low}; {i} <= {high}; {i} += 2) {{", f"range({low}, {high} + 1, 2)"
        elif form == 2:
            head, turns = f"for (int {i} = 0; {i} != n; {i}++) {{", "range(0, n)"
        elif form == 3:
            head, turns = f"int {i}; for ({i} = {low}; {i} < {high}; ++{i}) {{", f"range({low}, {high})"
        else:
            head, turns = f"for (int {i} = {low}; {i} < {high}; {i}++) {{", f"range({low}, {high})"
        if form == 3:
            self.line(depth, "{")
            line = len(self.c)
        self.line(depth, head, f"enter({number})\n{' ' * depth}for {i} in {turns}:")
        self.py.append(" " * (depth + 1) + f"turn({i})")
        inner = names + [i]
        for _ in range(rng.choice((1, 1, 2, 3))):
            if len(inner) < 3 and rng.random() < (0.45 if len(inner) == 1 else 0.15):
                self.loop(depth + 1, inner)
            else:
                self.statement(depth + 1, inner)
        self.line(depth, "}", "leave()")
        if form == 3:
            self.line(depth, "}")
        self.loops[number] = (line, self.affine)
        self.affine = self.affine and outer_affine


class Facts:
    """What a run showed of a loop."""

    def __init__(self):
        self.conflicts = collections.Counter()  # variables with a conflict between iterations
        self.exposed = set()    # variables that an iteration read before it wrote them
        self.not_last = set()   # variables written, but not by the last iteration
        self.needed = set()     # variables whose last value was read when the loop was over
        self.operators = collections.defaultdict(set)
        self.starts = []        # of each run of the loop: all variables when its iterations began
        self.most = 0           # iterations


def run(nest, n, p, seed):
    """Runs the nest; facts of every loop."""
    facts = [Facts() for _ in nest.loops]
    memory, stack, writers = {}, [], {}
    hashed = random.Random(seed).getrandbits(32)

    class Open:
        def __init__(self, loop):
            self.loop, self.turn, self.touched, self.wrote, self.variables = loop, 0, {}, set(), set()
            self.is_over, self.last = False, set()

    def note(variable, key, write, op):
        for o in stack:
            f = facts[o.loop]
            f.operators[variable].add(op)
            first, many, written = o.touched.get(key, (o.turn, False, False))
            many, written = many or first != o.turn, written or write
            o.touched[key] = (first, many, written)
            if many and written:
                f.conflicts[variable] += 1
            if write:
                o.wrote.add(key)
                o.variables.add(variable)
                o.last.add(variable)
            elif key not in o.wrote:
                f.exposed.add(variable)
        if write:
            writers[key] = list(stack)
        else:
            for o in writers.get(key, ()):
                if o.is_over:
                    facts[o.loop].needed.add(variable)

    def get(array, index, op=None):
        note(array, (array, index), False, op)
        if array == "x":
            return (hashed >> (index % 29)) & 7
        return memory.get((array, index), zlib.crc32(repr((array, index, hashed)).encode()) & 7)

    def put(array, index, value, op=None):
        note(array, (array, index), True, op)
        memory[array, index] = value & 7

    def scalar(name, value, op=None):
        note(name, name, False, op)
        return value

    def wrote(name, op=None):
        note(name, name, True, op)

    def enter(loop):
        stack.append(Open(loop))
        facts[loop].starts.append([])

    def turn(value):
        o = stack[-1]
        o.turn += 1
        o.wrote, o.last = set(), set()
        facts[o.loop].most = max(facts[o.loop].most, o.turn)
        frame = sys._getframe(1).f_locals
        facts[o.loop].starts[-1].append({v: frame[v] for v in frame if v in "stkijl"})

    def leave():
        o = stack.pop()
        o.is_over = True
        facts[o.loop].not_last |= o.variables - o.last

    scope = {"scalar": scalar, "wrote": wrote}
    exec(compile("\n".join(nest.py), nest.name, "exec"), scope)
    scope["run"](n, p, 3, None, get, put, enter, turn, leave)
    return facts


def holds(condition, n, p):
    text = condition.replace("&&", " and ").replace("||", " or ")
    try:
        return bool(eval(text, {"n": n, "p": p, "k": 3}))
    except (SyntaxError, NameError, TypeError):
        return False


def faults_of(loop, fact, n, p):
    """What is wrong with a verdict, given what a run showed."""
    if loop["verdict"] not in ("parallel", "parallel_with_clauses", "parallel_if"):
        return
    if not all(holds(c, n, p) for c in loop["condition"]):
        return
    clauses = {c["variable"]: c for c in loop["clauses"]}
    for v in fact.conflicts:
        kind = clauses.get(v, {}).get("kind")
        if kind is None:
            yield f"iterations conflict on {v}"
        elif kind in ("private", "lastprivate") and v in fact.exposed:
            yield f"{kind}({v}): an iteration reads it first"
        elif kind == "lastprivate" and v in fact.not_last:
            yield f"lastprivate({v}): the last iteration does not write it"
        elif kind == "private" and v in fact.needed:
            yield f"private({v}): it is read later"
        elif kind == "reduction" and fact.operators[v] != {clauses[v]["detail"]}:
            yield f"reduction({clauses[v]['detail']}: {v}): {fact.operators[v]}"
        elif kind == "induction":
            # The closed form is in terms of the value before the loop: differences of iterations are compared.
            form = clauses[v]["detail"].split(" = ", 1)[1].removesuffix(" when an iteration begins")
            if "?" in form or "[]" in form or re.search(r"\b[st]\b", form):
                continue
            for starts in fact.starts:
                offsets = {start[v] - eval(form, dict(start, n=n, p=p, k=0)) for start in starts}
                if len(offsets) > 1:
                    yield f"induction({v}): {form} does not follow it"
                    break


def judge(nests, fault):
    text, lines = [], {}
    for nest in nests:
        lines[nest.name] = len(text) + 1
        text += nest.c
    done = subprocess.run([PROGRAM, str(fault)], input="\n".join(text).encode(), stdout=subprocess.PIPE, timeout=600,
                          check=True)
    verdicts = {}
    for loop in json.loads(done.stdout)["loops"]:
        verdicts[loop["function"], loop["line"] - lines[loop["function"]]] = loop
    return verdicts


class Oracle(unittest.TestCase):
    def check(self, count, fault, seed=None, stop=False, at_once=500):
        """The faults found; the affine loops that were parallel in every run; those of them that were proven; all loops.

        Sequential loops are run with the values of their witness too, and must have a conflict then. Loops that
        depend on a condition are not parallel for all sizes, and count as neither.
        """
        rng = random.Random(SEED if seed is None else seed)
        found, parallel, proven, loops = [], 0, 0, 0
        for begin in range(0, count, at_once):
            nests = [Nest(f"f{begin + i}", rng) for i in range(min(at_once, count - begin))]
            verdicts = judge(nests, fault)
            for nest in nests:
                runs = [(n, p, run(nest, n, p, rng.getrandbits(30))) for n, p in SIZES]
                for number, (line, affine) in enumerate(nest.loops):
                    loop = verdicts[nest.name, line]
                    loops += 1
                    for n, p, facts in runs:
                        for wrong in faults_of(loop, facts[number], n, p):
                            found.append(f"{nest.name}, line {line}, n = {n}, p = {p}: {loop['verdict']}, but {wrong}\n"
                                         + "\n".join(nest.c))
                    enough = sum(facts[number].most >= 3 for _, _, facts in runs) >= 2
                    conditional = loop["verdict"] == "parallel_if"
                    if loop["verdict"] == "sequential" and not fault:
                        found += self.refuted(nest, number, loop)
                    if loop["verdict"] == "sequential" or conditional:
                        continue
                    if affine and enough and not any(facts[number].conflicts for _, _, facts in runs):
                        parallel += 1
                        proven += loop["verdict"] == "parallel" and not loop["condition"]
            if stop and found:
                break
        return found, parallel, proven, loops

    def refuted(self, nest, number, loop):
        values = dict(text.split(" = ") for text in loop["witness"]["values"])
        n, p = int(values.get("n", 4)), int(values.get("p", 4))
        if max(n, p) > 9 or not values or "k" in values:  # too large, or of no particular size
            return
        variable = loop["witness"]["variable"].partition("[")[0]
        facts = run(nest, n, p, 1)
        if not facts[number].conflicts[variable]:
            yield (f"{nest.name}, n = {n}, p = {p}: sequential, but no conflict on {variable}: {loop['witness']}\n"
                   + "\n".join(nest.c))

    def test_nothing_is_wrongly_parallel(self):
        found, parallel, proven, loops = self.check(NESTS, 0)
        print(f"{NESTS} nests, {loops} loops: {len(found)} wrong; {proven} of {parallel} affine parallel loops proven")
        self.assertEqual(found, [], "\n\n".join(found[:3]))
        self.assertGreater(parallel, NESTS // 20)
        self.assertGreaterEqual(proven, 0.95 * parallel)

    @unittest.skipIf("PAPILIO_SANITIZED" in os.environ, "other builds show it")
    def test_planted_faults_are_found(self):
        for fault, what in FAULTS.items():
            with self.subTest(fault=what):
                self.assertTrue(self.check(1000, fault, stop=True, at_once=100)[0])


if __name__ == "__main__":
    PROGRAM, NESTS = sys.argv[1], int(sys.argv[2])
    if len(sys.argv) > 3:
        SEED = int(sys.argv[3])
    unittest.main(argv=sys.argv[:1], verbosity=2)
