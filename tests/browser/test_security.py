"""What a page refuses, and that names are text wherever they stand."""

import numpy as np
import pytest
from tests.browser.explorer_pages import assert_shows, copied, opened, written
from tests.hostile import LABELS

import treewright as tw

# Code that the debugger evaluates may do what the policy forbids; code that a timer of the page runs may not.
LOADED = "await new Promise((done, fail) => {{ const x = {make}; x.onload = done; x.onerror = fail; {go} }})"
RAN = "if (!window.ran) throw new Error('refused')"
ATTEMPTS = {
    "fetch": "await fetch('https://example.org/')",
    "request": LOADED.format(
        make="new XMLHttpRequest()", go="x.open('GET', 'https://example.org/'); x.send();"
    ),
    "image": LOADED.format(make="new Image()", go="x.src = 'https://example.org/a.png';"),
    "style": LOADED.format(
        make="document.createElement('link')",
        go="x.rel = 'stylesheet'; x.href = 'https://example.org/a.css'; document.head.append(x);",
    ),
    "eval": "(0, eval)('window.ran = 1')",
    "function": "new Function('window.ran = 1')()",
    "timer": f"setTimeout('window.ran = 1'); await new Promise(done => setTimeout(done, 30)); {RAN}",
    "script": "const x = document.createElement('script'); x.textContent = 'window.ran = 1'; "
    f"document.body.append(x); {RAN}",
    "markup": "document.body.innerHTML = '<b>x</b>'",
    "attribute": f"document.body.setAttribute('onclick', 'window.ran = 1'); document.body.click(); {RAN}",
    "worker": "new Worker(URL.createObjectURL(new Blob(['1'])))",
    "wasm": "new WebAssembly.Module(new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0]))",
    "policy": "trustedTypes.createPolicy('mine', { createHTML: x => x })",
}
RUN = """() => {
  window.outcome = null;
  setTimeout(async () => {
    try { %s; window.outcome = 'allowed'; } catch (problem) { window.outcome = 'refused'; }
  });
}"""
COUNT = """() => {
  window.violations = 0;
  document.addEventListener('securitypolicyviolation', () => { window.violations++; });
}"""
LEAVE = """() => {
  const frame = document.createElement('iframe'), form = document.createElement('form');
  frame.src = form.action = 'https://example.org/';
  document.body.append(frame, form);
  form.submit();
}"""

KINDS = ("image", "script", "template alone", "open comment", "template text", "line separators", "address")
HOSTILE = [LABELS[kind] for kind in KINDS]


@pytest.fixture(scope="module")
def asia_file(tmp_path_factory):
    return written(tmp_path_factory.mktemp("pages"), tw.load_network("asia"), "asia")


def test_everything_but_the_page_itself_is_refused(browser, asia_file):
    with opened(browser, asia_file) as page:
        page.evaluate(COUNT)
        outcomes = {}
        for name, source in ATTEMPTS.items():
            page.evaluate(RUN % source)
            page.wait_for_function("() => window.outcome !== null")
            outcomes[name] = page.evaluate("() => window.outcome")
        assert outcomes == dict.fromkeys(ATTEMPTS, "refused")
        assert page.evaluate("() => window.ran") is None
        assert page.evaluate("() => window.violations") >= len(ATTEMPTS)
        assert page.asked == [asia_file.as_uri()]
        page.problems.clear()  # the browser wrote down what it refused


def test_frames_and_forms_lead_nowhere(browser, asia_file):
    with opened(browser, asia_file) as page:
        page.evaluate(COUNT)
        page.evaluate(LEAVE)
        page.wait_for_function("() => window.violations >= 2")
        assert page.url.startswith(asia_file.as_uri())
        assert page.asked == [asia_file.as_uri()]
        page.problems.clear()


def test_nothing_is_stored(browser, asia_file):
    with opened(browser, asia_file) as page:
        page.locator(".state").first.click()
        assert (
            page.evaluate("() => localStorage.length + sessionStorage.length + document.cookie.length") == 0
        )
        assert page.evaluate("() => document.referrer") == ""


@pytest.fixture(scope="module")
def hostile():
    rng = np.random.default_rng(0)
    schema = tw.Schema([tw.Variable(name, ("<b>x</b>", "{{data}}", "~1~2", "</script>")) for name in HOSTILE])
    names = schema.names
    arcs = [(names[i], names[i + 1]) for i in range(len(names) - 1)]
    tables = {name: rng.dirichlet(np.ones(4), (4,) if i else ()) for i, name in enumerate(names)}
    return tw.BayesianNetwork(tw.Dag(schema, arcs), tables)


def test_any_name_stays_text(browser, hostile, tmp_path):
    file = tmp_path / "hostile.html"
    file.write_text(tw.to_html(hostile, title="<b>{{script}}</b>", file="</script>.twm"), encoding="utf-8")
    with opened(browser, file, permissions=["clipboard-read", "clipboard-write"]) as page:
        assert page.locator("h1").inner_text() == "<b>{{script}}</b>"
        assert page.evaluate(
            "() => [...document.querySelectorAll('.card h2')].map(x => x.title).sort()"
        ) == sorted(HOSTILE, key=lambda n: n.encode("utf-16-be"))
        for v in range(len(HOSTILE)):
            page.locator(f'.card[data-v="{v}"] .state').nth(v % 4).click()
        for key in ("m", "o", "j", "t", "n", "c"):
            page.keyboard.press(key)
        text = copied(page)
        assert page.evaluate("() => document.querySelectorAll('img,iframe').length") == 0
        assert page.evaluate("() => document.querySelectorAll('script').length") == 2
        assert page.evaluate("() => window.hacked") is None
        known = {name: schema_state(hostile, name, v % 4) for v, name in enumerate(HOSTILE)}
        page.reload()  # the address brings all of it back
        page.wait_for_selector("html.ready")
        assert_shows(page, hostile.marginals(known))
        given = {}
        exec(next(line for line in text.split("\n") if line.startswith("given")), given)
        assert given["given"] == known


def schema_state(model, name, k):
    return model.schema[name].states[k]


def test_an_address_is_only_input(browser, asia_file):
    strange = "#" + "&".join(
        [
            "__proto__=yes",
            "smoke=constructor",
            "smoke=~1~Infinity",
            "smoke=~-1~1",
            "smoke=~0~0",
            "=yes",
            "x" * 2000,
            "smoke",
            "%",
        ]
    )
    with opened(browser, asia_file, strange) as page:
        assert page.locator(".chip").count() == 0
        assert_shows(page, tw.load_network("asia").marginals())


def test_unknown_versions_are_refused_with_a_sentence(browser, asia_file, tmp_path):
    page_text = asia_file.read_text(encoding="utf-8")
    file = tmp_path / "later.html"
    file.write_text(page_text.replace('"version":1', '"version":2', 1), encoding="utf-8")
    with opened(browser, file) as page:
        assert "its script reads treewright-page 1" in page.locator("#panel").inner_text()


def test_the_same_model_gives_the_same_bytes():
    asia = tw.load_network("asia")
    assert tw.to_html(asia).encode() == tw.to_html(tw.load_network("asia")).encode()
