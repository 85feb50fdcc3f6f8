"""Contrast of everything that is drawn, from the style sheets: 4.5 for text, 3 for bars, strips and edges.

Colours have names there; what is mixed or seen through is computed as a browser does. Whatever else is mixed
or made transparent one day fails a test until it is judged here.
"""

import re

import numpy as np
import pytest

from treewright.reports.explorer.page_file import STYLES, page_part

SHEETS = {name: page_part(name) for name in STYLES}
EVERYTHING = "".join(SHEETS.values())


def themes():
    """Colours and other values by name, light and dark."""
    rules = re.findall(r"^(?::root(?:\[data-theme=dark\])?) \{(.*?)\}", SHEETS["page.css"], flags=re.M | re.S)
    found = [dict(re.findall(r"--([\w-]+): ([^;]+);", body)) for body in rules]
    return [
        {name: colour(value) if value.startswith("#") else value for name, value in theme.items()}
        for theme in found
    ]


def colour(text):
    return np.array([int(text[i : i + 2], 16) / 255 for i in (1, 3, 5)])


def linear(c):
    return np.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4)


def luminance(c):
    return float(linear(c) @ [0.2126, 0.7152, 0.0722])


def contrast(a, b):
    high, low = sorted((luminance(a), luminance(b)), reverse=True)
    return (high + 0.05) / (low + 0.05)


# Björn Ottosson's matrices, as CSS Color 4 has them
CONES = np.array(
    [
        [0.4122214708, 0.5363325363, 0.0514459929],
        [0.2119034982, 0.6806995451, 0.1073969566],
        [0.0883024619, 0.2817188376, 0.6299787005],
    ]
)
LAB = np.array(
    [
        [0.2104542553, 0.7936177850, -0.0040720468],
        [1.9779984951, -2.4285922050, 0.4505937099],
        [0.0259040371, 0.7827717662, -0.8086757660],
    ]
)


def mixed(a, b, share):
    """Two colours in Oklab, so much of the second."""
    labs = [LAB @ np.cbrt(CONES @ linear(c)) for c in (a, b)]
    cones = np.linalg.solve(LAB, (1 - share) * labs[0] + share * labs[1]) ** 3
    light = np.clip(np.linalg.solve(CONES, cones), 0, None)
    return np.clip(np.where(light <= 0.0031308, light * 12.92, 1.055 * light ** (1 / 2.4) - 0.055), 0, 1)


def seen_through(a, opacity, ground):
    return opacity * a + (1 - opacity) * ground


TEXT = [
    ("ink", "card"), ("ink", "page"), ("ink", "seen-soft"), ("ink", "track"), ("quiet", "card"),
    ("quiet", "page"), ("quiet", "track"), ("quiet", "seen-soft"), ("seen", "card"), ("seen", "seen-soft"),
    ("seen", "track"), ("on-seen", "seen"), ("bad", "card"), ("now", "card"), ("card", "now"),
    ("card", "ink"),
]  # fmt: skip
SHAPES = [
    ("now", "card"), ("now", "track"), ("was", "card"), ("was", "track"), ("was", "page"),
    ("seen", "seen-soft"), ("seen", "track"), ("seen", "page"), ("moved", "card"), ("moved", "track"),
    ("edge", "page"), ("now", "page"), ("bad", "page"), ("focus", "page"), ("focus", "card"),
]  # fmt: skip
THEMES = pytest.mark.parametrize("theme", themes(), ids=["light", "dark"])


@THEMES
def test_text_and_shapes(theme):
    least = dict.fromkeys(SHAPES, 3.0) | dict.fromkeys(TEXT, 4.5)
    found = {(a, b): contrast(theme[a], theme[b]) for a, b in least}
    assert {pair: round(ratio, 2) for pair, ratio in found.items() if ratio < least[pair]} == {}


MIX = re.compile(
    r"color-mix\(in (\w+), var\(--(\w+)\), (?:var\(--(\w+)\)|(transparent)) "
    r"(?:(\d+)%|calc\(var\(--moved-by, 0\) \* (\d+)%\)|var\(--(tint)\))\)"
)
UPON = {  # what a mix of the first two is seen upon, or what is written upon it
    ("now", "ink"): [("card", 3.0), ("track", 3.0)],  # strips
    ("now", "card"): [("card", 3.0), ("track", 3.0)],
    ("card", "moved"): [("ink", 4.5)],  # names on far cards
    ("was", "moved"): [("page", 3.0)],  # dots
    ("line", "moved"): [],  # the border of a pill, which its label names too; see below
    ("now", "transparent"): [("ink", 4.5)],  # cells of tables
}
BEHIND = {"now": "card"}  # what is seen through them


def mixes():
    found = MIX.findall(EVERYTHING)
    assert len(found) == EVERYTHING.count("color-mix(")
    assert {(first, second or clear) for _, first, second, clear, *_ in found} == set(UPON)
    for space, first, second, clear, fixed, tinted, by_change in found:
        shares = [int(fixed) / 100] if fixed else np.linspace(0, 1 if by_change else int(tinted) / 100, 21)
        assert space == ("srgb" if clear else "oklab")
        yield first, second or clear, shares


@THEMES
def test_mixed_colours(theme):
    bad = {}
    for first, second, shares in mixes():
        for share in shares:
            if second == "transparent":
                made = seen_through(theme[first], 1 - share, theme[BEHIND[first]])
            else:
                made = mixed(theme[first], theme[second], share)
            for other, least in UPON[first, second]:
                ratio = contrast(made, theme[other])
                if ratio < least:
                    bad[first, second, round(float(share), 2), other] = round(ratio, 2)
    assert bad == {}
    assert contrast(theme["moved"], theme["page"]) >= 3  # a pill that changed most


def opacities():
    """Every opacity of the style sheets, by selector."""
    rules = re.findall(r"([^{};/]+)\{([^{}]*opacity: [^{}]*)\}", EVERYTHING)
    return {
        " ".join(selector.split()): re.search(r"(?:^|[ ;{])((?:fill-)?opacity): ([^;}]+)", body + ";").group(
            2
        )
        for selector, body in rules
    }


JUDGED = {
    ".tool:disabled": None,  # what cannot be used need not be read
    ".edge": ("edge", "page"),
    ".edge.near": ("now", "page"),
    "#world.picked .edge:not(.near)": ("edge", "page"),
    ".legend .pale": ("edge", "page"),
    "from": None,  # the beginning of a third of a second
    "#map .sight": None,  # its border tells it
    ".curve .was": None,  # theirs too
    ".curve .now": ("now", "card"),
}


@THEMES
def test_what_is_seen_through(theme):
    found = opacities()
    assert set(found) == set(JUDGED)
    for selector, value in found.items():
        if JUDGED[selector] is None:
            continue
        least = re.match(r"(?:calc\()?var\(--(\w+)\)", value)
        opacity = float(theme[least[1]] if least else value)
        drawn, ground = (theme[name] for name in JUDGED[selector])
        assert contrast(seen_through(drawn, opacity, ground), ground) >= 3, selector


def test_borders_tell_what_is_seen_through():
    assert "stroke: var(--now)" in re.search(r"#map \.sight \{[^}]*", EVERYTHING)[0]
    assert "stroke: var(--was)" in re.search(r"\.curve \.was \{[^}]*", EVERYTHING)[0]
