"""The search of the manual, asked in a page that was opened as a file, as who has no network opens it."""

import pytest
from tests.browser.conftest import browser  # noqa: F401
from tests.docs.site import QUESTIONS, build_site

HITS = "links => links.map(one => new URL(one.href).pathname)"


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    return build_site(tmp_path_factory.mktemp("site"))


@pytest.fixture
def page(browser, site):  # noqa: F811
    asked, problems = [], []
    page = browser.new_page()
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.on("request", lambda request: asked.append(request.url))
    page.goto((site / "index.html").as_uri())
    yield page
    page.close()
    assert problems == []
    assert [url for url in asked if not url.startswith(("file:", "data:", "about:"))] == []


def pages_found(page, site, question):
    """The pages that are listed, in their order, after the question was typed."""
    page.reload()
    page.keyboard.press("/")
    page.locator(".md-search__input").press_sequentially(question)
    told = page.locator(".md-search-result__meta", has_text="document")
    told.wait_for()
    page.wait_for_function(
        """() => {
            const now = document.querySelector(".md-search-result__list").innerText;
            const same = now === window.before;
            window.before = now;
            return same;
        }""",
        polling=250,
    )
    links = page.locator(".md-search-result__list > li a.md-search-result__link").evaluate_all(HITS)
    return list(dict.fromkeys(link.removeprefix(site.as_posix() + "/") for link in links))


@pytest.mark.slow
def test_a_stranger_finds_the_page_among_the_first_three(page, site):
    missed = {}
    for question, wanted in QUESTIONS.items():
        found = pages_found(page, site, question)[:3]
        if wanted not in found:
            missed[question] = found
    assert not missed


@pytest.mark.slow
@pytest.mark.parametrize(
    ("question", "wanted"),
    [
        ("treewid", "papers/bounded_treewidth.html"),  # a word that is still being typed
        ("learn_hill_climbing", "guides/learning.html"),
        ('"decimal comma"', "guides/messy_tables.html"),
    ],
)
def test_words_and_signs(page, site, question, wanted):
    assert wanted in pages_found(page, site, question)[:6]


@pytest.mark.slow
def test_little_words_alone_are_looked_for_all_the_same(page, site):
    assert pages_found(page, site, "what is it")
