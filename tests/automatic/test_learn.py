"""The default: what it takes for which table, what it says, and that nothing but the rows decides."""

import numpy as np
import pytest

import treewright as tw
from treewright import _core
from treewright.automatic.rows import missing_policy
from treewright.errors import (
    FormatError,
    Interrupted,
    MissingValuesError,
    SchemaError,
    SettingError,
    TreewidthError,
)


@pytest.fixture(scope="module")
def alarm_rows():
    return tw.load_network("alarm").sample(1_000, rng=np.random.default_rng(3))


@pytest.fixture(scope="module")
def alarm(alarm_rows):
    return tw.learn(alarm_rows)


@pytest.fixture
def small_memory():
    tw.set_memory_limit("64KiB")
    yield
    tw.set_memory_limit(None)


def lattice(side=6, states=4, n=3_000):
    """Every cell of a lattice mostly agrees with the one above or the one to the left: a wide network."""
    rng = np.random.default_rng(7)
    cells = {}
    for i in range(side):
        for j in range(side):
            fresh = rng.integers(states, size=n)
            before = [cells[at] for at in ((i - 1, j), (i, j - 1)) if at in cells]
            chosen = rng.integers(len(before), size=n) if before else None
            taken = fresh if chosen is None else np.choose(chosen, before)
            cells[i, j] = np.where(rng.random(n) < 0.1, fresh, taken)
    return tw.read_table({f"x{i}{j}": column for (i, j), column in cells.items()})


def numbers(n=400):
    rng = np.random.default_rng(1)
    a = rng.normal(size=n)
    b = a + rng.normal(size=n)
    return {"a": a, "b": b, "c": b - 2 * a + rng.normal(size=n), "d": rng.normal(size=n)}


def test_a_result_has_all_there_is_to_say(alarm):
    assert alarm.structure is alarm.dag
    assert alarm.cpdag == tw.Cpdag.of(alarm.dag)
    assert alarm.dag.pattern == alarm.cpdag
    assert alarm.width == alarm.certificate.width == max(map(len, alarm.certificate.clusters)) - 1
    assert alarm.cost.seconds < 1
    assert alarm.model.structure.edges() == alarm.dag.edges()
    assert {phase.name for phase in alarm.trace.phases} >= {"dependencies", "score"}
    assert alarm.score == pytest.approx(alarm.learned.score)
    assert tw.shd(tw.load_network("alarm").dag, alarm.cpdag) <= 10


def test_the_reason_is_one_sentence(alarm):
    assert alarm.reason.startswith(
        "37 discrete columns and 1,000 rows: the most plausible of 4 networks found by the score that the "
        "rows chose (sparse-bdeu, ess "
    )
    assert (
        f"kept whole, since with treewidth {alarm.width} an exact answer takes less than a milli"
        in alarm.reason
    )
    assert "\n" not in alarm.reason
    assert alarm.reason in str(alarm)
    assert "a question: width" in str(alarm)
    assert repr(alarm).startswith("LearnedModel(37 variables, ")


def test_numbers_alone_lead_to_a_gaussian_network():
    result = tw.learn(numbers())
    assert isinstance(result.model, tw.GaussianNetwork)
    assert result.reason.startswith("4 continuous columns and 400 rows: the most plausible of 4 networks")
    assert "(sparse-gaussian-bic)" in result.reason
    assert result.dag.skeleton().adjacent("a", "b")
    assert not any("d" in edge for edge in result.dag.edges())
    assert result.cost.operations > 0
    assert tw.verify(result.model, certificate=result.certificate).valid


def test_numbers_among_labels_stay_or_are_cut_and_that_is_said():
    rows = {name: column.tolist() for name, column in numbers().items()}
    rows["label"] = ["low" if x < 0 else "high" for x in rows["a"]]
    result = tw.learn(rows)
    assert isinstance(result.model, tw.models.ConditionalGaussianNetwork)
    assert result.notes[0].startswith("numbers among labels stay as they are, since rows held out are ")
    assert result.notes[0].endswith("likelier each than with 4 intervals: a, b, c, d; bins= cuts them")
    bounded = tw.learn(rows, treewidth=1)
    assert isinstance(bounded.model, tw.models.ConditionalGaussianNetwork)
    assert (bounded.width, result.width) == (1, 2)
    assert tw.verify(bounded.model, certificate=bounded.certificate).width == 1
    known = tw.learn(rows, knowledge=tw.Knowledge(required=[("a", "label")]))
    assert known.notes[0] == (
        "numbers among labels were cut into 4 intervals of equal frequency: a, b, c, d; bins= cuts them "
        "otherwise, columns= leaves columns out (the knowledge requires a -> label, which uncut numbers "
        "cannot have)"
    )
    cut = tw.learn(rows, bins=3)
    assert len(cut.model.schema["a"].states) == 3
    assert not any("cut into" in note for note in cut.notes)


def test_states_seen_in_groups_are_named_in_the_reason():
    rng = np.random.default_rng(2)
    code = rng.integers(30, size=3_000)
    rows = {"code": [f"k{c}" for c in code], "x": (code % 2 + (rng.random(3_000) < 0.1)) % 2}
    result = tw.learn(rows)
    assert "the score that sees columns of many states in groups (grouped-qnml)" in result.reason
    assert result.dag.n_edges == 1


def test_a_few_missing_cells_leave_the_structure_to_the_other_rows(alarm_rows):
    columns = alarm_rows.to_dict()
    columns["HR"][:50] = [None] * 50
    result = tw.learn(columns)
    assert any(
        "structure from the 950 of 1,000 rows that miss nothing; tables from all rows by EM" in note
        for note in result.notes
    )


def test_many_missing_cells_are_a_state():
    rng = np.random.default_rng(0)
    columns = {name: rng.integers(2, size=300).tolist() for name in "abcd"}
    for column in columns.values():
        for i in rng.integers(300, size=150):
            column[i] = None
    whole = sum(all(column[i] is not None for column in columns.values()) for i in range(300))
    assert whole < 150
    result = tw.learn(columns)
    assert len(result.model.schema["a"].states) == 3
    assert result.notes[0].startswith(
        f"only {whole} of 300 rows miss nothing, so missing is a state of its own in "
    )


def test_options_of_reading_are_taken_and_said_in_python(tmp_path):
    path = tmp_path / "enquête.csv"
    marks = ["<0,5", "NA", "1,5", "2,5", "0,25", "3,5"] * 10
    rows = "".join(f"{m};{'malade' if i % 3 else 'santé'};{i % 4}\n" for i, m in enumerate(marks))
    path.write_bytes(f"crp;état;visite\n{rows}".encode("latin-1"))
    with pytest.raises(FormatError, match="say what it is with encoding= or --encoding"):
        tw.learn(path)
    plain = tw.learn(path, encoding="latin-1")
    (marked,) = [note for note in plain.notes if "holds numbers, and" in note]
    assert marked.endswith("missing_values={'crp': ['<0,5', 'NA']}")
    assert "--" not in " ".join(plain.notes)
    told = tw.learn(path, encoding="latin-1", decimal=",", missing_values={"crp": ["<0,5", "NA"]})
    assert told.model.schema["crp"].states[0].startswith("[0.25, ")
    assert told.model.provenance["settings"]["missing_values"] == {"crp": ["<0,5", "NA"]}
    assert told.report["état"].reason == "texts"  # and not that some reading before this one declared them
    with pytest.raises(TypeError, match="unexpected keyword argument 'encodings'"):
        tw.learn(path, encodings="latin-1")
    with pytest.raises(SettingError, match=r"encoding= says how rows are read, and a \w+ has them"):
        tw.learn(tw.count(tw.read_table({"a": [1, 2]})), encoding="latin-1")


@pytest.mark.parametrize("frames", ["pandas", "polars"])
def test_one_column_is_no_table(frames):
    series = pytest.importorskip(frames).DataFrame({"a": [1, 2, 3]})["a"]
    with pytest.raises(SchemaError, match="a Series is one column, and a table has several; pass the frame"):
        tw.learn(series)


def test_missing_numbers_leave_rows_out_or_are_refused():
    rows = numbers()
    rows["a"][:10] = np.nan
    assert "learned from the 390 of 400 rows that miss nothing" in tw.learn(rows).notes
    rows["b"][:250] = np.nan
    with pytest.raises(
        MissingValuesError, match=r"only 150 of 400 rows have a number in every column.*\(b, a\)"
    ):
        tw.learn(rows)


def test_a_policy_that_was_asked_for_is_kept(alarm_rows):
    columns = alarm_rows.to_dict()
    columns["HR"][0] = None
    with pytest.raises(MissingValuesError, match="'HR'"):
        tw.learn(columns, missing="error")
    assert "1 of 1,000 rows dropped for missing cells" in tw.learn(columns, missing="drop").notes
    assert len(tw.learn(columns, missing="state").model.schema["HR"].states) == 4


def test_policies_by_the_share_of_whole_rows():
    half = tw.read_table({"a": [1, 2, None, None], "b": [1, 2, 1, 2]}, missing="em")
    assert missing_policy(half) == ("em", [])
    less = tw.read_table({"a": [1, 2, None, None, None], "b": [1, 2, 1, 2, 1]}, missing="em")
    assert missing_policy(less)[0] == "state"
    assert missing_policy(tw.read_table({"a": [1, 2]}, missing="em")) == ("em", [])


def test_a_treewidth_that_was_asked_for_is_kept(alarm_rows):
    result = tw.learn(alarm_rows, treewidth=1)
    assert result.width == 1
    assert "is above 1, so it was narrowed, and with treewidth 1 an exact answer" in result.reason
    assert tw.verify(result.model, certificate=result.certificate, treewidth=1).valid
    assert tw.learn(alarm_rows, treewidth=30).width < 30
    with pytest.raises(TreewidthError, match="at least 1"):
        tw.learn(alarm_rows, treewidth=0)


@pytest.mark.slow
def test_a_small_memory_limit_narrows_with_a_certificate(small_memory, tmp_path):
    table = lattice()
    free = tw.learners.learn_knots(tw.count(table)).structure
    assert tw.JunctionTree.of(free.moral_graph()).width >= 6
    result = tw.learn(table)
    assert 2 <= result.width < 6
    assert not result.cost.refused
    assert "narrowed, since at first with treewidth" in result.reason
    assert "above the memory limit" in result.reason
    tw.set_memory_limit(None)
    result.save(tmp_path / "m.twm")
    report = tw.verify(tmp_path / "m.twm")
    assert report.valid
    assert report.width == result.width
    assert report.certificate == "stored"


def test_knowledge_is_obeyed(alarm_rows):
    known = tw.Knowledge(required=[("HR", "BP")], forbidden=[("CO", "HR"), ("HR", "CO")])
    for treewidth in (None, 2):
        result = tw.learn(alarm_rows, knowledge=known, treewidth=treewidth)
        assert ("HR", "BP") in result.dag.edges()
        assert not result.dag.skeleton().adjacent("HR", "CO")
        assert ("HR", "BP") in result.dag.pattern.directed_edges()


def test_neither_order_nor_threads_matter(alarm_rows, alarm):
    rng = np.random.default_rng(5)
    names = [alarm_rows.schema.names[i] for i in rng.permutation(37)]
    turned = alarm_rows.take(rng.permutation(alarm_rows.n_rows)).select(names)
    before = _core.threads()
    try:
        for threads in (1, 2):
            _core.set_threads(threads)
            again = tw.learn(turned)
            assert again.dag.edges() == alarm.dag.edges()
            assert again.reason == alarm.reason
            narrow = [tw.learn(rows, treewidth=2).dag.edges() for rows in (turned, alarm_rows)]
            assert narrow[0] == narrow[1]
    finally:
        _core.set_threads(before)


def test_counts_and_moments_are_taken_as_well(alarm_rows, alarm):
    assert tw.learn(tw.count(alarm_rows)).dag.edges() == alarm.dag.edges()
    found = tw.learn(tw.moments(tw.read_table(numbers())))
    assert found.dag.edges() == tw.learn(numbers()).dag.edges()
    assert found.report is None


def test_files_and_odd_columns(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text("id,a,b\n" + "".join(f"k{i},{i % 2},{i % 2}\n" for i in range(40)))
    result = tw.learn(path)
    assert any("identifier" in note and "columns=[...]" in note and "id" in note for note in result.notes)
    assert tw.learn(path, columns=["a", "b"]).dag.n_edges == 1
    assert tw.learn({"a": [1, 1, 1]}).dag.n_edges == 0
    with pytest.raises(SchemaError):
        tw.learn({"a": []})


def test_progress_tells_every_search(alarm_rows):
    told = []
    tw.learn(alarm_rows, progress=told.append)
    assert sum(step.phase == "first pairs" for step in told) >= 2


def test_the_file_says_how_it_was_learned(alarm, tmp_path):
    alarm.save(tmp_path / "m.twm")
    origin = tw.models.formats.twm.read_provenance(tmp_path / "m.twm")
    assert origin["learner"] == "learn"
    assert origin["settings"]["missing"] == "auto"
    assert origin["score"] == alarm.learned.criterion
    assert origin["reason"] == alarm.reason
    assert origin["rows"] == 1_000
    assert origin == alarm.model.provenance
    assert tw.load(tmp_path / "m.twm") == alarm.model


@pytest.mark.parametrize("treewidth", [None, 2])
def test_what_was_found_is_kept_when_interrupted(alarm_rows, treewidth):
    told = []

    def stop(step):
        told.append(step.phase)
        if told.count("first pairs") == 2 or (treewidth and step.phase == "iterate"):
            raise KeyboardInterrupt

    with pytest.raises(Interrupted) as caught:
        tw.learn(alarm_rows, treewidth=treewidth, progress=stop)
    found = caught.value.learned
    assert found.trace.stopped_by == "interrupt"
    assert found.dag.n_edges > 20
    assert any("interrupted" in note for note in found.notes)
    assert found.reason.startswith("37 discrete columns")
