"""What the records say, claim by claim: CLAIMS has a function of the records for each name that a page may use."""

import pathlib
import sys

import gpu_counters
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
# Of these the front page has the smallest, a middle and the largest; docs/benchmarks.md has all.
FRONT_SHAPES = [gpu_report.LARGE[0], gpu_report.LARGE[2], gpu_report.LARGE[-1]]
FRONT_RACES = [which for which in RACES if which[0] != "20news"]
FRONT_SWEEPS = SWEEPS[:2]
WIKI = "docword.wiki.txt.zst"


def only(found, what):
    """The single record that is meant."""
    found = list(found)
    if len(found) != 1:
        raise LookupError(f"{len(found)} records of {what}, where one is meant")
    return found[0]


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
    return [f"{shape_name(rows, categories)} matrix, one draw per row", "ms", figures(reading), figures(own),
            f"{figures(peer['ms'])}, {peer_name(peer['method'])}", figures(peer["ms"] / own)]


def of_tokens(data, topics, method):
    return only((r["ms"] for r in gpu_report.measured(data, "draws") if (r["corpus"], r["topics"], r["method"]) == (WIKI, topics, method)),
                f"{method}, K = {topics}")


def gpu_tokens(records):
    data, topics = gpu(records), (64, 256, 512, 1024, 4096)
    rows = [["**papilio, one pass of draws, ms**", *[figures(of_tokens(data, K, "trainer")) for K in topics]],
            ["a kernel that only reads the rows of phi, ms", *[figures(of_tokens(data, K, "floor")) for K in topics]]]
    return table(["topics of 3.07 million tokens, float", *[f"K = {K:,}" for K in topics]], rows)


def flashinfer_row(records, rows, filters="top_k 50, top_p 0.9, min_p 0.01"):
    """Tokens of language models; the peer computes only its own filters."""
    record = records["h200-flashinfer"]
    of_call = (r for r in record["records"] if (r["filters"], r["rows"]) == (filters, rows))
    found = only(of_call, f"{rows} rows of {filters}")
    names = ", ".join(part.split()[0].replace("_", "-") for part in filters.split(", "))
    return [f"next tokens, {rows:,} x {record['categories']:,} logits: {names}", "ms", "", figures(found["papilio_ms"]),
            f"{figures(found['peer_ms'])}, FlashInfer", figures(found["peer_ms"] / found["papilio_ms"], 2)]


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
    rows = [part("one CPU core (Zen 4), float, one draw per row"),
            cpu_row(records, "theta x phi", 1024, "theta x phi, K = 1,024"),
            cpu_row(records, "dense", 1024, "dense rows, K = 1,024"),
            part("NVIDIA H200, float"), *[gpu_row(data, *shape) for shape in FRONT_SHAPES],
            ["topics for 3.07 M tokens, K = 1,024", "ms", figures(of_tokens(data, 1024, "floor")), figures(of_tokens(data, 1024, "trainer")), "", ""],
            *[flashinfer_row(records, rows) for rows in (512, 1)],
            part("training, one CPU thread (AMD EPYC, AVX-512), to the same held-out perplexity"), *[race_row(records, *which) for which in FRONT_RACES],
            part("training on the H200, one sweep"),
            *[[f"{r['corpus']}, {figures(r['tokens'] / 1e6)} M tokens, K = {r['topics']:,}: {figures(r['tokens_per_second'] / 1e9)} billion tokens/s",
               "ms", "", figures(r["ms_per_sweep"]), "", ""]
              for r in (sweep(records, *which) for which in FRONT_SWEEPS)]]
    return table(["what", "unit", "roof", "papilio", "best peer", "speedup"], rows)


PARTS_NAMES = {"wiki": "wiki (43,556 documents, 3.07 M tokens)", "arxiv-cs": "arxiv-cs (165,668 documents, 15.0 M tokens)",
               "generated": "generated (500,000 documents, 100 M tokens, 100,000 words), sweeps 6 to 9",
               "one-token": "generated (15 M documents of one token, 100,000 words), sweeps 5 to 9",
               "nips": "nips (1,500 documents, 1.87 M tokens)"}


def parts(record):
    return ", ".join(f"{share:.2f}" for share in record["parts"])


def sparse_records(records, sampler):
    return [r for r in records["h200-sparse"]["records"] if r["sampler"] == sampler]


def sparse_sweeps(records):
    return table(["corpus", "K", "ms per sweep", "billion tokens per second", "first sweep, ms", "topics per document",
                  "draws from own, document, word, prior part", "bytes per token"],
                 [[PARTS_NAMES[r["corpus"]], f"{r['topics']:,}", figures(r["ms_per_sweep"]), f"{r['tokens_per_second'] / 1e9:.2f}", f"{r['first_sweep_ms']:.2f}",
                   f"{r['topics_per_document']:.1f}", parts(r), f"{r['bytes_per_token']:.1f}"] for r in sparse_records(records, "collapsed")])


def sparse_theta_collapsed(records):
    return table(["corpus", "K", "dense, ms", "sparse, ms", "share", "topics per document", "draws from document, prior part"],
                 [[PARTS_NAMES[r["corpus"]], f"{r['topics']:,}", f"{r['dense_ms']:.2f}", f"{r['ms_per_sweep']:.2f}",
                   f"{r['ms_per_sweep'] / r['dense_ms']:.2f}", f"{r['topics_per_document']:.1f}", parts(r)]
                  for r in sparse_records(records, "theta_collapsed")])


def share_of_dense(records, corpus, topics):
    found = only((r for r in sparse_records(records, "theta_collapsed") if (r["corpus"], r["topics"]) == (corpus, topics)), corpus)
    return f"{found['ms_per_sweep'] / found['dense_ms']:.2f}"


def dense_sweep(records):
    """Milliseconds of a dense sweep of collapsed on the GPU, wiki, K = 1,024."""
    return 1e3 * only((r["seconds_per_sweep"] for r in gpu(records)["lda"]
                       if (r["device"], r["sampler"], r["topics"]) == ("cuda:0", "collapsed", 1024)), "dense sweeps")


def heldout_table(records):
    samplers = dict.fromkeys(r["sampler"] for r in records["heldout-nips"]["records"])
    return table(["sampler", "K = 100", "K = 1,000"],
                 [[sampler, *[f"{heldout(records, sampler, K):,.1f}" for K in (100, 1000)]] for sampler in samplers])


def heldout(records, sampler, topics):
    return only((r["perplexity"] for r in records["heldout-nips"]["records"] if (r["sampler"], r["topics"]) == (sampler, topics)), sampler)


def gamma_ratios(records):
    return [r["standard_ns"] / r["papilio_ns"] for r in records["gamma-cpu"]["records"]]


def gamma_table(records):
    return table(["shape", "sample_gamma, ns per draw", "std::gamma_distribution, ns per draw", "ratio"],
                 [[f"{r['shape']:g}" if r["shape"] < 1e4 else f"{r['shape']:,}", f"{r['papilio_ns']:.2f}", f"{r['standard_ns']:.2f}",
                   f"{r['standard_ns'] / r['papilio_ns']:.1f}"] for r in records["gamma-cpu"]["records"]])


def gamma_gpu(records):
    return table(["K", "million draws", "theta", "phi", "both", "plain, both", "writing, both"],
                 [[f"{r['topics']:,}", f"{r['draws'] / 1e6:.1f}", f"{r['theta_ms']:.3f}", f"{r['phi_ms']:.3f}", f"**{r['both_ms']:.2f}**",
                   f"{r['plain_ms']:.2f}", f"{r['writing_ms']:.3f}"] for r in records["h200-gamma"]["records"]])


def race_seconds(records, corpus, topics, system):
    return figures(races.seconds(races.current(records["race"]), corpus, topics, 1, system, races.TARGETS[corpus][str(topics)]))


def race_end(records, topics):
    """The final perplexity of papilio on nips, one thread, in the current race."""
    current = races.groups(races.current(records["race"]))["nips", topics, 1]
    return f"{current['papilio']['curve'][-1]['perplexity']:,.1f}"


def instructions(records, method):
    """Warp instructions per draw of floats on the GPU at the most topics that counters were read for."""
    launches = gpu_counters.longest(gpu_counters.read(records.folder / "h200-counters.csv"))
    tokens = next(r["tokens"] for r in gpu_report.measured(gpu(records), "methods"))
    return f"{float(launches[0, gpu_counters.METHODS.index(method)]['smsp__inst_executed.sum']) / tokens:.0f}"


# Claims that a page makes in sentences of its own: the page must have the number, wherever it has it.
QUOTED = {
    "docs/decisions.md": ("instructions_slots", "instructions_butterfly"),
    "docs/lda/start.md": ("race_nips_1000_papilio", "race_nips_1000_mallet"),
    "docs/lda/sparse.md": ("share_wiki_1024", "share_wiki_4096", "share_nips_1000", "share_nips_4000"),
}

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
    "heldout": heldout_table,
    "heldout_race_100": lambda records: race_end(records, 100),
    "heldout_race_1000": lambda records: race_end(records, 1000),
    "sparse_sweeps": sparse_sweeps,
    "sparse_theta_collapsed": sparse_theta_collapsed,
    "sparse_rate_wiki": lambda records: figures(sweep(records, "wiki", 1024)["tokens_per_second"] / 1e9),
    "sparse_rate_arxiv": lambda records: figures(sweep(records, "arxiv-cs", 1024)["tokens_per_second"] / 1e9),
    "sparse_bytes_wiki": lambda records: f"{sweep(records, 'wiki', 1024)['bytes_per_token']:.1f}",
    "sparse_bytes_arxiv": lambda records: f"{sweep(records, 'arxiv-cs', 1024)['bytes_per_token']:.1f}",
    "sparse_growth": lambda records: figures(sweep(records, "arxiv-cs", 16384)["ms_per_sweep"] / sweep(records, "arxiv-cs", 1024)["ms_per_sweep"]),
    "dense_sweep": lambda records: figures(dense_sweep(records)),
    "dense_by_sparse": lambda records: figures(dense_sweep(records) / sweep(records, "wiki", 1024)["ms_per_sweep"], 2),
    **{f"share_{corpus}_{K}": (lambda records, corpus=corpus, K=K: share_of_dense(records, corpus, K))
       for corpus, K in (("wiki", 1024), ("wiki", 4096), ("nips", 1000), ("nips", 4000))},
    **{f"race_nips_1000_{system}": (lambda records, system=system: race_seconds(records, "nips", 1000, system)) for system in ("papilio", "mallet")},
    "instructions_slots": lambda records: instructions(records, "slots"),
    "instructions_butterfly": lambda records: instructions(records, "butterfly_add_subtract"),
    "gamma_cpu": gamma_table,
    "gamma_gpu": gamma_gpu,
    "gamma_least": lambda records: f"{min(gamma_ratios(records)):.1f}",
    "gamma_most": lambda records: f"{max(gamma_ratios(records)):.1f}",
}
