"""What the records say, claim by claim: CLAIMS has a function of the records for each name that a page may use."""

import pathlib
import sys

import gpu_report
from gpu_report import figures, table

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "benchmarks/race"))
import races  # noqa: E402

CPU_PEERS = {"prefix sums + binary search, row by row": "prefix sums + binary search", "exponential race (Gumbel)": "exponential race",
             "std::discrete_distribution": "`std::discrete_distribution`", "alias table, build + draw": "alias table, build + draw"}
CPU_METHODS = {"slots": "**papilio, default**", "slots, 2 threads": "papilio, default, 2 threads", "butterfly_swap": "papilio, the papers' butterfly",
               **CPU_PEERS}
CPU_TOPICS = (64, 128, 256, 1024, 4096)
RACES = [(corpus, topics) for corpus in ("nips", "wiki", "20news") for topics in (100, 1000)]
SWEEPS = [("wiki", 1024), ("arxiv-cs", 1024), ("arxiv-cs", 16384)]
WIKI = "docword.wiki.txt.zst"


def only(found, what):
    """The single record that is meant."""
    found = list(found)
    if len(found) != 1:
        raise LookupError(f"{len(found)} records of {what}, where one is meant")
    return found[0]


def times(value):
    return figures(value, 2 if value < 10 else 3 if value < 1000 else 4)


# Draws on the CPU


def cpu(records, workload, method, K):
    return only((m["ns_per_row"] for m in records["epyc-zen4"]["medians"]
                 if (m["workload"], m["type"], m["K"], m["method"]) == (workload, "float", K, method)), f"{workload}, {method}, K = {K}")


def cpu_table(records, workload):
    """Times as multiples of the roof's."""
    rows = [["roof, ns per row", *[figures(cpu(records, workload, "roof", K)) for K in CPU_TOPICS]]]
    rows += [[name, *[f"{cpu(records, workload, method, K) / cpu(records, workload, 'roof', K):.2f}" for K in CPU_TOPICS]]
             for method, name in CPU_METHODS.items()]
    return table(["", *[f"K = {K:,}" for K in CPU_TOPICS]], rows)


def cpu_row(records, workload, K, what):
    own, roof = (cpu(records, workload, method, K) for method in ("slots", "roof"))
    peer, method = min((cpu(records, workload, method, K), method) for method in CPU_PEERS)
    return [what, "ns", figures(roof), figures(own), f"{figures(peer)}, {CPU_PEERS[method]}", figures(peer / own, 2)]


# Draws on a GPU


def gpu(records):
    return gpu_report.unfolded(records["h200"])


def shape_name(rows, categories):
    return f"{rows >> 20}M x {categories:,}" if rows >> 20 else f"{rows:,} x {categories:,}"


def gpu_shape(data, rows, categories):
    """Own time, that of reading, the best peer's record and torch.multinomial's time."""
    own = gpu_report.own(data, rows, categories, "float")
    reading = only((r for r in gpu_report.of_shape(data, "batched", rows, categories, "float") if r["method"] == "read only"), "reading")
    peer = gpu_report.best_peer(data, rows, categories, "float")
    multinomial = only((r for r in gpu_report.of_shape(data, "peers", rows, categories, "float") if r["method"] == "torch.multinomial"),
                       "torch.multinomial")
    return own["ms"], reading["ms"], peer, multinomial["ms"]


def peer_name(method):
    return method.replace("torch cumsum + searchsorted, compiled", "torch, compiled")


def gpu_rows(records):
    data = gpu(records)
    found = [gpu_shape(data, *shape) for shape in gpu_report.LARGE]
    rows = [["**papilio, ms**", *[figures(own) for own, _, _, _ in found]],
            ["a kernel that only reads the rows, ms", *[figures(reading) for _, reading, _, _ in found]],
            ["best peer, times as long", *[f"{figures(peer['ms'] / own)} ({peer_name(peer['method'])})" for own, _, peer, _ in found]],
            ["`torch.multinomial`, times as long", *[figures(multinomial / own, 2) for own, _, _, multinomial in found]]]
    return table(["one draw from each row of a matrix, float", *[shape_name(*shape) for shape in gpu_report.LARGE]], rows)


def gpu_row(data, rows, categories):
    own, reading, peer, _ = gpu_shape(data, rows, categories)
    return [f"{shape_name(rows, categories)} matrix, a draw per row", "ms", figures(reading), figures(own),
            f"{figures(peer['ms'])}, {peer_name(peer['method'])}", figures(peer["ms"] / own)]


def of_tokens(data, topics, method):
    return only((r["ms"] for r in gpu_report.measured(data, "draws") if (r["corpus"], r["topics"], r["method"]) == (WIKI, topics, method)),
                f"{method}, K = {topics}")


def gpu_tokens(records):
    data, topics = gpu(records), (64, 256, 512, 1024, 4096)
    rows = [["**papilio, one pass of draws, ms**", *[figures(of_tokens(data, K, "trainer")) for K in topics]],
            ["a kernel that only reads the rows of phi, ms", *[figures(of_tokens(data, K, "floor")) for K in topics]]]
    return table(["topics of 3.07 million tokens, float", *[f"K = {K:,}" for K in topics]], rows)


# Training


def sweep(records, corpus, topics):
    return only((r for r in records["h200-sparse"]["records"] if (r["sampler"], r["corpus"], r["topics"]) == ("collapsed", corpus, topics)),
                f"sweeps of {corpus}, K = {topics}")


def gpu_sweeps(records):
    found = [sweep(records, *which) for which in SWEEPS]
    names = [f"{r['corpus']}, {figures(r['tokens'] / 1e6)} M tokens, K = {r['topics']:,}" for r in found]
    return table(["sparse draws, whole sweeps, the 22nd to the 41st", *names],
                 [["**ms per sweep**", *[figures(r["ms_per_sweep"]) for r in found]],
                  ["billion tokens per second", *[figures(r["tokens_per_second"] / 1e9) for r in found]]])


def race_row(records, corpus, topics):
    now = races.current(records["race"])
    target = races.TARGETS[corpus][str(topics)]
    own, peer = (races.seconds(now, corpus, topics, 1, system, target) for system in ("papilio", "mallet"))
    return [f"{corpus}, K = {topics:,}, to perplexity {target:,}", "s", "", figures(own), f"{figures(peer)}, MALLET", figures(peer / own, 2)]


def results(records):
    """The front page's table."""
    data = gpu(records)
    part = lambda name: [f"*{name}*", "", "", "", "", ""]  # noqa: E731
    rows = [part("one CPU core (Zen 4), a draw per row of float"),
            *[cpu_row(records, "theta x phi", K, f"theta x phi, K = {K:,}") for K in (128, 1024)],
            cpu_row(records, "dense", 1024, "dense rows, K = 1,024"),
            part("NVIDIA H200, float"), *[gpu_row(data, *shape) for shape in gpu_report.LARGE],
            ["topics of 3.07 M tokens, K = 1,024", "ms", figures(of_tokens(data, 1024, "floor")), figures(of_tokens(data, 1024, "trainer")), "", ""],
            part("training, one CPU thread (AMD EPYC, AVX-512), to the same held-out perplexity"), *[race_row(records, *which) for which in RACES],
            part("training on the H200, one sweep"),
            *[[f"{r['corpus']}, {figures(r['tokens'] / 1e6)} M tokens, K = {r['topics']:,}: {figures(r['tokens_per_second'] / 1e9)} billion tokens/s",
               "ms", "", figures(r["ms_per_sweep"]), "", ""]
              for r in (sweep(records, *which) for which in SWEEPS)]]
    return table(["what", "unit", "roof", "papilio", "best peer", "times as fast as it"], rows)


def heldout(records, sampler, topics):
    return only((r["perplexity"] for r in records["heldout-nips"]["records"] if (r["sampler"], r["topics"]) == (sampler, topics)), sampler)


def gamma_ratios(records):
    return [r["standard_ns"] / r["papilio_ns"] for r in records["gamma-cpu"]["records"]]


CLAIMS = {
    "results": results,
    "cpu_dense": lambda records: cpu_table(records, "dense"),
    "cpu_products": lambda records: cpu_table(records, "theta x phi"),
    "gpu_rows": gpu_rows,
    "gpu_tokens": gpu_tokens,
    "gpu_sweeps": gpu_sweeps,
    "race": lambda records: "\n".join(races.summary(records["race"])),
    "heldout_100": lambda records: f"{heldout(records, 'collapsed', 100):,.0f}",
    "heldout_1000": lambda records: f"{heldout(records, 'collapsed', 1000):,.0f}",
    "gamma_least": lambda records: f"{min(gamma_ratios(records)):.1f}",
    "gamma_most": lambda records: f"{max(gamma_ratios(records)):.1f}",
}
