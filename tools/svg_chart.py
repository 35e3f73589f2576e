"""Line and bar charts as SVG, by the standard library alone.

Colours and background follow the reader's light or dark scheme; lines differ by
marker or dash as well as by colour.
"""

import dataclasses
import html
import math

LIGHT = ["#0b6bb0", "#d1590a", "#0a8f6a", "#a8509b", "#b98600", "#4a4f57", "#b0304c", "#2f9fc4"]
DARK = ["#5fb0ef", "#ff9a57", "#45cfa5", "#dd93d2", "#e5bd4a", "#b4bac4", "#f07a92", "#86d6f2"]
MARKERS = ["circle", "square", "triangle", "diamond"]
WIDTH, HEIGHT = 960, 470
LEFT, RIGHT, TOP, BOTTOM = 76, 284, 62, 60
MARKED_AT_MOST = 24  # points of a line that are marked


@dataclasses.dataclass
class Series:
    name: str
    points: list  # (x, y)
    dashed: bool = False
    colour: int | None = None  # its place in the palette; its place among the series where none is given


@dataclasses.dataclass
class Axis:
    label: str
    log: bool = False
    low: float | None = None
    high: float | None = None
    ticks: list | None = None


def number(value):
    """A tick's label: 0.05, 1, 250, 1,024, 4.5."""
    if value == 0:
        return "0"
    if abs(value) >= 1:
        return f"{value:,.10g}" if value == round(value) else f"{value:.3g}"
    return f"{value:.3g}"


def linear_ticks(low, high, about=6):
    """Multiples of 1, 2 or 5 times a power of ten from `low` to `high`."""
    if not high > low:
        return [low]
    rough = (high - low) / about
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(m * power for m in (1, 2, 5, 10) if m * power >= rough * 0.999)
    first = math.ceil(low / step - 1e-9)
    return [round(i * step, 12) for i in range(first, math.floor(high / step + 1e-9) + 1)]


def log_ticks(low, high):
    """Powers of ten, with 2 and 5 between where there are few."""
    decades = math.log10(high / low)
    mantissas = (1, 2, 5) if decades <= 3 else (1,)
    exponents = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    return [m * 10.0 ** e for e in exponents for m in mantissas if low * 0.999 <= m * 10.0 ** e <= high * 1.001]


class Scale:
    """Values of an axis to places on the page."""

    def __init__(self, axis, values, begin, end):
        self.log = axis.log
        low = min(values) if axis.low is None else axis.low
        high = max(values) if axis.high is None else axis.high
        if axis.log and low <= 0:
            raise ValueError(f"a logarithmic axis needs values above 0: {axis.label}")
        if not high > low:
            high = low * 2 if low > 0 else low + 1
        self.low, self.high, self.begin, self.end = low, high, begin, end
        self.ticks = axis.ticks or (log_ticks(low, high) if axis.log else linear_ticks(low, high))

    def __call__(self, value):
        low, high = self.low, self.high
        if self.log:
            value, low, high = math.log(value), math.log(low), math.log(high)
        return self.begin + (value - low) / (high - low) * (self.end - self.begin)


def text(x, y, words, kind="", anchor="start", extra=""):
    return f'<text x="{x:.1f}" y="{y:.1f}" class="{kind}" text-anchor="{anchor}"{extra}>{html.escape(words)}</text>'


def style():
    def rules(colours, ink, faint, grid, paper):
        series = "".join(f".s{i}{{stroke:{c}}}.f{i}{{fill:{c}}}" for i, c in enumerate(colours))
        return (f".paper{{fill:{paper};stroke:{grid}}}text{{fill:{ink}}}.faint{{fill:{faint}}}"
                f".grid{{stroke:{grid}}}.axis{{stroke:{faint}}}{series}")

    return ("<style>text{font:13px system-ui,-apple-system,'Segoe UI',Helvetica,Arial,sans-serif}"
            ".title{font-size:17px;font-weight:600}.note{font-size:12px}.grid{stroke-width:1}.axis{stroke-width:1}"
            ".line{fill:none;stroke-width:2;stroke-linejoin:round;stroke-linecap:round}"
            + rules(LIGHT, "#1f2328", "#656d76", "#e2e5e9", "#ffffff")
            + "@media (prefers-color-scheme:dark){"
            + rules(DARK, "#e6e8eb", "#9aa2ad", "#343941", "#15181d") + "}</style>")


def marker(shape, x, y, kind):
    if shape == "circle":
        return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.4" class="{kind}"/>'
    paths = {"square": "M-3 -3h6v6h-6z", "triangle": "M0 -4l4 7h-8z", "diamond": "M0 -4.4l4.4 4.4l-4.4 4.4l-4.4 -4.4z"}
    return f'<path d="{paths[shape]}" transform="translate({x:.1f} {y:.1f})" class="{kind}"/>'


def page(title, note, height, body):
    head = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}" '
            f'role="img" aria-label="{html.escape(title)}">', style(),
            f'<rect x="0.5" y="0.5" width="{WIDTH - 1}" height="{height - 1}" rx="8" class="paper"/>',
            text(20, 30, title, "title"), text(20, 49, note, "note faint")]
    return "\n".join([*head, *body, "</svg>"]) + "\n"


def frame(x, y, x_label, y_label):
    """Grid, ticks and labels; `x` may be None for an axis without numbers."""
    right, bottom = WIDTH - RIGHT, HEIGHT - BOTTOM
    out = []
    for tick in y.ticks:
        place = y(tick)
        out += [f'<line x1="{LEFT}" x2="{right}" y1="{place:.1f}" y2="{place:.1f}" class="grid"/>',
                text(LEFT - 8, place + 4.5, number(tick), "faint", "end")]
    for tick in x.ticks if x else []:
        place = x(tick)
        out += [f'<line x1="{place:.1f}" x2="{place:.1f}" y1="{bottom}" y2="{bottom + 5}" class="axis"/>',
                text(place, bottom + 20, number(tick), "faint", "middle")]
    middle = (TOP + bottom) / 2
    return out + [f'<line x1="{LEFT}" x2="{right}" y1="{bottom}" y2="{bottom}" class="axis"/>',
                  text((LEFT + right) / 2, HEIGHT - 16, x_label, "", "middle"),
                  text(22, middle, y_label, "", "middle", f' transform="rotate(-90 22 {middle:.1f})"')]


def line_chart(title, note, x_axis, y_axis, series):
    """Returns the SVG of lines through the points of each series."""
    series = [s for s in series if s.points]
    x = Scale(x_axis, [p[0] for s in series for p in s.points], LEFT + 8, WIDTH - RIGHT - 8)
    y = Scale(y_axis, [p[1] for s in series for p in s.points], HEIGHT - BOTTOM, TOP + 6)
    body = frame(x, y, x_axis.label, y_axis.label)
    for place, line in enumerate(series):
        colour = (place if line.colour is None else line.colour) % len(LIGHT)
        shape = MARKERS[colour % len(MARKERS)]
        at = [(x(a), y(b)) for a, b in sorted(line.points)]
        path = "M" + "L".join(f"{a:.1f} {b:.1f}" for a, b in at)
        dash = ' stroke-dasharray="6 5"' if line.dashed else ""
        body.append(f'<path d="{path}" class="line s{colour}"{dash}/>')
        marked = len(at) <= MARKED_AT_MOST
        if marked:
            body += [marker(shape, a, b, f"f{colour}") for a, b in at]
        left, top = WIDTH - RIGHT + 18, TOP + 16 + 24 * place
        body.append(f'<path d="M{left} {top}h26" class="line s{colour}"{dash}/>')
        if marked:
            body.append(marker(shape, left + 13, top, f"f{colour}"))
        body.append(text(left + 34, top + 4.5, line.name))
    return page(title, note, HEIGHT, body)


def bar_chart(title, note, y_axis, groups, series):
    """Returns the SVG of bars: `series` maps a name to a value, or None, for each group."""
    values = [v for row in series.values() for v in row if v is not None]
    y = Scale(dataclasses.replace(y_axis, low=0), [*values, 0], HEIGHT - BOTTOM, TOP + 6)
    body = frame(None, y, "", y_axis.label)
    width = (WIDTH - RIGHT - LEFT) / len(groups)
    bar = width * 0.82 / len(series)
    for g, group in enumerate(groups):
        left = LEFT + g * width + width * 0.09
        for s, row in enumerate(series.values()):
            if row[g] is not None:
                top = y(row[g])
                body.append(f'<rect x="{left + s * bar:.1f}" y="{top:.1f}" width="{max(bar - 1.5, 1):.1f}" '
                            f'height="{HEIGHT - BOTTOM - top:.1f}" class="f{s % len(LIGHT)}"/>')
        body.append(text(LEFT + (g + 0.5) * width, HEIGHT - BOTTOM + 20, group, "", "middle"))
    for s, name in enumerate(series):
        top = TOP + 10 + 24 * s
        body += [f'<rect x="{WIDTH - RIGHT + 18}" y="{top}" width="14" height="12" class="f{s % len(LIGHT)}"/>',
                 text(WIDTH - RIGHT + 40, top + 11, name)]
    return page(title, note, HEIGHT, body)
