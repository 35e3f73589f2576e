"""The plots of docs/plots, from the data of tools/gpu_report.py."""

import gpu_claims
from svg_chart import Axis, Series, bar_chart, line_chart

TOPICS = [16, 32, 64, 128, 256, 512, 1024, 2048, 4096]
LABELS = {
    "slots": "papilio (slots)",
    "prefix": "Algorithm 1 (prefix)",
    "transposed": "Alg. 4 (transposed)",
    "transposed_through_scratch": "Alg. 4 through memory",
    "butterfly_swap": "butterfly, swap",
    "butterfly_add_subtract": "Alg. 7 (butterfly)",
    "butterfly_two_pass": "butterfly, two passes",
    "transposed_remnant_first": "transposed, remnant first",
    "butterfly_swap_remnant_first": "butterfly, swap, remnant first",
    "butterfly_add_subtract_remnant_first": "butterfly, add/subtract, remnant first",
}
PASSES = 100  # as many as the paper's sampling iterations


def records(data, part):
    return [r for r in data.get(part, {}).get("records", []) if "ms" in r]


def device(data):
    return next((data[p]["device"] for p in ("batched", "draws", "methods", "figure") if "device" in data.get(p, {})), "")


def batched(data):
    shapes = [(1 << 20, 32), (1 << 20, 128), (262144, 1024), (65536, 4096), (512, 131072)]
    found = {}
    for r in records(data, "batched") + records(data, "peers"):
        if r["case"] == "batched" and r["type"] == "float" and r.get("check_negative", True):
            found.setdefault(r["method"], {})[(r["rows"], r["categories"])] = r["bytes_per_second"] / 1e9
    shapes = [s for s in shapes if s in found.get("papilio", {})]
    if not shapes:
        return None

    def mean(method):
        values = [v for s, v in found[method].items() if s in shapes]
        return sum(values) / len(values) if values else 0

    peers = sorted((m for m in found if m not in ("papilio", "read only")), key=mean, reverse=True)
    shown = [m for m in ("papilio", "read only", *peers) if m in found][:7]
    label = {m: m.replace("searchsorted", "search").replace("jax.random.categorical", "jax categorical") for m in shown}
    series = {label[m]: [found[m].get(s) for s in shapes] for m in shown}
    groups = [f"{r >> 20}M x {c}" if r >> 20 else f"{r:,} x {c:,}" for r, c in shapes]
    return bar_chart("One draw from each row of a matrix", f"float, {device(data)}; bytes of the rows by time; the best peers",
                     Axis("GB/s"), groups, series)


def draws(data, value, title, note, y_axis, with_floor):
    found = records(data, "draws")
    corpora = list(dict.fromkeys(r["corpus"] for r in found))
    series = []
    for place, corpus in enumerate(corpora):
        for method, label in (("trainer", "trainer"), ("slots", "any rows"), ("floor", "floor")):
            if method == "floor" and not with_floor:
                continue
            points = [(r["topics"], v) for r in found
                      if (r["corpus"], r["method"]) == (corpus, method) and (v := value(r)) is not None]
            colour = place if not with_floor else ("trainer", "slots", "floor").index(method)
            series.append(Series(label if with_floor else f"{label}: {short(corpus)}", points, method != "trainer", colour))
        if with_floor:
            break  # one corpus; more would hide each other
    if not any(s.points for s in series):
        return None
    return line_chart(title, note.format(corpus=short(corpora[0]), device=device(data)), Axis("topics K", log=True, ticks=TOPICS), y_axis, series)


def short(corpus):
    return {"Zipf without function words": "Zipf, content words"}.get(corpus, corpus.removeprefix("docword.").split(".")[0])


def by_method(data, part, kind, title, x_axis, chosen=tuple(LABELS)):
    ms = gpu_claims.times(records(data, part), kind)
    series = [Series(LABELS[m], [(K, t * PASSES / 1e3) for K, t in ms.get(m, {}).items()], colour=i)
              for i, m in enumerate(LABELS) if m in chosen]
    if not any(s.points for s in series):
        return None
    corpus = short(next(r["corpus"] for r in records(data, part)))
    return line_chart(title, f"{kind}, corpus {corpus}, {device(data)}; draws alone", x_axis,
                      Axis(f"seconds, {PASSES} passes", low=0), series)


def application(data):
    """Figure 10 of the paper: every sampler on a GPU; beside them the CPU, where that was measured."""
    found = data.get("lda") or []
    ways = list(dict.fromkeys((r["device"], r.get("sampler", "mean_for_mode")) for r in found))
    devices = {where for where, _ in ways}
    series = [Series(sampler if len(devices) == 1 else f"{sampler}, {where}",
                     [(r["topics"], r["seconds_per_sweep"] * PASSES) for r in found
                      if (r["device"], r.get("sampler", "mean_for_mode")) == (where, sampler)])
              for where, sampler in ways]
    if not any(s.points for s in series):
        return None
    topics = sorted({r["topics"] for r in found})
    wide = topics[-1] > 8 * topics[0] and len(topics) > 10
    return line_chart("The whole application, 100 sweeps", f"float, {device(data)}",
                      Axis("topics K", ticks=None if wide else topics), Axis("seconds", log=len(devices) > 1), series)


def plots(data):
    """File name -> SVG, for everything that was measured."""
    x = Axis("topics K", low=0, high=1024, ticks=[0, 128, 256, 384, 512, 640, 768, 896, 1024])
    near = Axis("topics K", low=480, high=544, ticks=[480, 496, 512, 528, 544])
    of_figure_12 = ("slots", "transposed", "butterfly_add_subtract", "butterfly_swap")
    made = {
        "gpu_batched.svg": batched(data),
        "gpu_draws_floor.svg": draws(
            data, lambda r: r.get("floor_over_time"), "Draws beside the streaming floor",
            "float, {device}; 1 is a kernel that only reads the rows of phi; any rows: sample_categorical",
            Axis("floor / time", low=0, high=max([1, *(r.get("floor_over_time", 0) for r in records(data, "draws"))]),
                 ticks=[0, 0.2, 0.4, 0.6, 0.8, 1]), False),
        "gpu_draws_time.svg": draws(data, lambda r: r["ms"], "One pass over the tokens of a corpus",
                                    "float, {corpus}, {device}; any rows: sample_categorical", Axis("ms", log=True), True),
        "gpu_application.svg": application(data),
    }
    for kind in ("float", "double"):
        made[f"gpu_methods_{kind}.svg"] = by_method(data, "methods", kind, "Methods of the papers: K up to 1,024", x)
        made[f"gpu_methods_{kind}_480_544.svg"] = by_method(
            data, "figure", kind, "Methods of the papers: every K of 480 ... 544", near, of_figure_12)
    return {file: svg for file, svg in made.items() if svg}
