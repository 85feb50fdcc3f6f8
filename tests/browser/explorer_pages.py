"""Pages of the explorer in a browser, and what they show: for tests that look at them like a person does."""

import contextlib
import io

import numpy as np

import treewright as tw

ALARM = tw.load_network("alarm")
HIGH = {"HR": "HIGH"}
NOT_LOW = {"BP": {"LOW": 0, "NORMAL": 1, "HIGH": 1}}
SIZE = {"width": 1400, "height": 900}


@contextlib.contextmanager
def opened(browser, file, fragment="", **options):
    """A page in a context of its own; what goes wrong in its script fails the test."""
    context = browser.new_context(**({"viewport": SIZE, "reduced_motion": "reduce"} | options))
    page = context.new_page()
    page.set_default_timeout(30_000)
    problems, asked = [], []
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.on("console", lambda message: problems.append(message.text))
    page.on("requestfinished", lambda request: asked.append(request.url))
    page.goto(f"{file.as_uri()}{fragment}")
    page.wait_for_selector("html.ready")
    page.asked, page.problems = asked, problems
    yield page
    context.close()
    assert problems == []


def written(folder, model, name="model", **options):
    """The file of a page, beside the file of its model."""
    if hasattr(model, "save"):
        model.save(folder / f"{name}.twm")
    file = folder / f"{name}.html"
    file.write_text(tw.to_html(model, title=name, file=f"{name}.twm", **options), encoding="utf-8")
    return file


def copied(page):
    """What "copy as Python" put on the clipboard, once the page says so; the remark is taken away."""
    page.wait_for_selector('.toast:has-text("Copied as Python")')
    page.evaluate("() => document.querySelectorAll('.toast').forEach(note => note.remove())")
    return page.evaluate("() => navigator.clipboard.readText()")


def settled(page):
    """Wait until what follows a frame (the address, what is said aloud) is done."""
    page.evaluate(
        "() => new Promise(done => requestAnimationFrame(() => setTimeout(() => setTimeout(done))))"
    )


def card(page, name):
    return page.locator(f'.card:has(h2[title="{name}"])')


def state(page, name, label):
    return card(page, name).locator(f'.state[title="{label}"]')


def shown(page):
    """What the cards say: percentages by variable and state."""
    return page.evaluate(
        """() => Object.fromEntries([...document.querySelectorAll('.card')].map(card => [
          card.querySelector('h2').title,
          Object.fromEntries([...card.querySelectorAll('.state')].map(
            state => [state.title, state.querySelector('.p').textContent]))]))"""
    )


def percent(p):
    if 0 < p < 0.0005:
        return "<0.1%"
    return ">99.9%" if 0.9995 < p < 1 else f"{100 * p:.1f}%"


def assert_shows(page, marginals):
    """Every card says what Python says, to the last digit that is shown."""
    for name, states in shown(page).items():
        for label, text in states.items():
            p = next(p for state, p in marginals[name].items() if str(state) == label)
            rounded = {percent(q) for q in (p, p - 1e-9, p + 1e-9)}
            assert text in rounded, (name, label)


def scale(page):
    """How large the drawing is, and where its corner lies."""
    return page.evaluate(
        """() => { const m = new DOMMatrix(document.getElementById('world').style.transform);
          return [m.a, m.e, m.f]; }"""
    )


def free_spot(page):
    """A point of the plane where nothing lies."""
    return page.evaluate(
        """() => { for (let y = 120; y < 800; y += 10) for (let x = 20; x < 900; x += 10)
             if (document.elementFromPoint(x, y).id === 'stage') return [x, y]; }"""
    )


def find(page, name):
    """Go to a variable by the search."""
    page.keyboard.press("/")
    page.keyboard.type(name)
    page.keyboard.press("Enter")


def information(model, target, other, given):
    """Mutual information of two variables given what is known, in bits."""
    joint = model.query([target, other], given).array
    p, q = joint.sum(1, keepdims=True), joint.sum(0, keepdims=True)
    kept = joint > 0
    return float(np.sum(joint[kept] * np.log2(joint[kept] / (p * q)[kept])))


def run_copied(page, folder, monkeypatch):
    """What the clipboard holds, executed where the model lies; its names and what it printed."""
    text = copied(page)
    monkeypatch.chdir(folder)
    said, names = io.StringIO(), {}
    with contextlib.redirect_stdout(said):
        exec(text, names)
    return text, names, said.getvalue()
