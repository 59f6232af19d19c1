# SPDX-License-Identifier: Apache-2.0
"""Plots of times as SVG: for each engine a line from the median to the 99th percentile, on a logarithmic scale.
Readable on light and dark pages, and without color."""
import math
from xml.sax.saxutils import escape

WIDTH, LEFT, RIGHT, TOP = 900, 110, 210, 56
ROW, HEADING, GAP, BOTTOM = 19, 24, 8, 44
COLORS = (("#0b57d0", "#8ab4f8"), ("#b3461b", "#f2a272"), ("#1b7f4b", "#79d3a1"), ("#8a2fa0", "#d59ae6"), ("#7a6400", "#e0c65a"),
        ("#555c66", "#b4bcc8"))
STYLE = """text{font:12px system-ui,sans-serif;fill:#1f2328}.title{font-size:15px;font-weight:600}.head{font-weight:600}
.note{fill:#59636e;font-size:11px}.grid{stroke:#d1d9e0}.ours{font-weight:600}"""
DARK = "text{fill:#f0f6fc}.note{fill:#9198a1}.grid{stroke:#3d444d}"


def digits(value):
    """Formats three significant digits; more would not be reliable."""
    return f"{value:.3g}" if value < 100 else f"{value:,.0f}"


def duration(milliseconds):
    return f"{digits(milliseconds)} ms" if milliseconds >= 1 else f"{digits(1000 * milliseconds)} µs"


class Scale:
    def __init__(self, values):
        self.low = math.floor(math.log10(max(min(values), 1e-4)))
        self.high = max(self.low + 1, math.ceil(math.log10(max(values))))

    def at(self, value):
        fraction = (math.log10(max(value, 10 ** self.low)) - self.low) / (self.high - self.low)
        return LEFT + fraction * (WIDTH - LEFT - RIGHT)

    def ticks(self):
        return [10.0 ** power for power in range(self.low, self.high + 1)]


def color_rules(names):
    rules = [f".i{number}{{stroke:{light};fill:{light}}}" for number, (light, _) in zip(range(len(names)), COLORS)]
    dark = [f".i{number}{{stroke:{night};fill:{night}}}" for number, (_, night) in zip(range(len(names)), COLORS)]
    return f"{STYLE}{''.join(rules)}@media(prefers-color-scheme:dark){{{DARK}{''.join(dark)}}}"


def draw_row(name, times, color, scale, y):
    start, tail, end = (scale.at(times[each]) for each in ("p50", "p95", "p99"))
    bold = ' class="ours"' if name == "kbase" else ""
    values = ", ".join(duration(times[each]) for each in ("p50", "p95", "p99"))
    return (f'<text x="{LEFT - 10}" y="{y + 4}" text-anchor="end"{bold}>{escape(name)}</text>'
            f'<g class="i{color}"><path d="M{start:.1f} {y}H{end:.1f}M{tail:.1f} {y - 4}v8M{end:.1f} {y - 4}v8" '
            f'stroke-width="2" fill="none"/><circle cx="{start:.1f}" cy="{y}" r="4.5"/></g>'
            f'<text x="{WIDTH - RIGHT + 12}" y="{y + 4}"{bold}>{values}</text>')


def draw_plot(title, groups):
    """`groups` has pairs of a name and times by engine; times have p50, p95 and p99 in milliseconds."""
    names = list(dict.fromkeys(name for _, engines in groups for name in engines))
    scale = Scale([times[each] for _, engines in groups for times in engines.values() for each in ("p50", "p99")])
    parts, y = [], TOP
    for group, engines in groups:
        y += HEADING
        parts.append(f'<text class="head" x="{LEFT}" y="{y - 6}">{escape(group)}</text>')
        for name, times in engines.items():
            parts.append(draw_row(name, times, names.index(name) % len(COLORS), scale, y + ROW / 2))
            y += ROW
        y += GAP
    for tick in scale.ticks():
        x = scale.at(tick)
        parts.insert(0, f'<path class="grid" d="M{x:.1f} {TOP}V{y}"/><text class="note" x="{x:.1f}" y="{y + 16}" '
                        f'text-anchor="middle">{duration(tick)}</text>')
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {y + BOTTOM}" role="img">'
            f'<title>{escape(title)}</title><style>{color_rules(names)}</style>'
            f'<text class="title" x="{LEFT}" y="22">{escape(title)}</text>'
            f'<text class="note" x="{LEFT}" y="42">dot: median, first bar: 95th percentile, second bar: 99th; the scale is '
            f'logarithmic</text>{"".join(parts)}</svg>\n')
