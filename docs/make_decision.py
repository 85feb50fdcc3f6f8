"""Draw the picture of the decision on the first page: `python docs/make_decision.py`."""

from __future__ import annotations

from html import escape
from pathlib import Path

TARGET = Path(__file__).resolve().parent / "pictures" / "which_learner.svg"
QUESTIONS = [
    ("Shall the table choose?", "tw.learn", "looks at the table, says why"),
    (
        "Are there several tables that share columns?",
        "tw.learn_from_databases",
        "one network, no join",
    ),
    ("Is one column to be told from the others?", "tw.BayesianClassifier", "scikit-learn's fit and predict"),
    ("Do rows matter, and edges not at all?", "tw.learn_mixture", "the likeliest description of new rows"),
    ("Do relations have no direction?", "tw.learn_blankets", "a Markov network"),
    ("Must every answer be cheap, by a bound?", "tw.learn_bounded_treewidth", "with the proof of its width"),
    ("Thousands of columns, or few rows?", "tw.learn_knots", "a class, and a map of its variables"),
    ("Do you ask why an edge is absent?", "tw.learn_pc", "tests, separators, conflicts"),
]
LAST = ("Otherwise", "tw.learn_hill_climbing", "a class of high score")
WIDTH, STEP, BOX = 820, 62, 40
STYLE = "font: 14px system-ui, sans-serif"


def box(x: int, y: int, width: int, fill: str, lines: list[tuple[str, str]]) -> str:
    rows = [f'<rect x="{x}" y="{y}" width="{width}" height="{BOX}" rx="8" fill="{fill}" stroke="#557"/>']
    first = y + (25 if len(lines) == 1 else 17)
    for i, (text, style) in enumerate(lines):
        rows.append(
            f'<text x="{x + 12}" y="{first + 16 * i}" style="{style}" fill="#111">{escape(text)}</text>'
        )
    return "".join(rows)


def decision() -> str:
    """Questions from top to bottom; a yes leads to the right, a no to the next question."""
    height = STEP * (len(QUESTIONS) + 1) + 10
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img"'
        ' aria-label="Which learner: questions from top to bottom, each with its answer">',
        '<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" orient="auto"'
        ' markerWidth="8" markerHeight="8">'
        '<path d="M0 0L8 4L0 8z" fill="#557"/></marker></defs>',
        f'<rect width="{WIDTH}" height="{height}" fill="#fff"/>',
    ]
    for i, (question, name, why) in enumerate([*QUESTIONS, LAST]):
        y = 10 + STEP * i
        middle = y + BOX // 2
        parts.append(box(10, y, 350, "#eef2f7", [(question, STYLE)]))
        parts.append(box(440, y, 370, "#e3f3ee", [(name, f"{STYLE}; font-weight: 600"), (why, STYLE)]))
        parts.append(f'<path d="M360 {middle}H436" stroke="#557" marker-end="url(#tip)"/>')
        if i < len(QUESTIONS):
            parts.append(f'<text x="384" y="{middle - 6}" style="{STYLE}" fill="#111">yes</text>')
            parts.append(f'<path d="M60 {y + BOX}V{y + STEP - 4}" stroke="#557" marker-end="url(#tip)"/>')
            parts.append(f'<text x="70" y="{y + BOX + 16}" style="{STYLE}" fill="#111">no</text>')
    return "\n".join([*parts, "</svg>"]) + "\n"


if __name__ == "__main__":
    TARGET.write_text(decision(), encoding="utf-8")
