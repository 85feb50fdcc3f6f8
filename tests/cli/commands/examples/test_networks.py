from treewright.networks import list_networks


def test_the_catalogue_is_listed(run, run_json):
    found = run_json("networks")["networks"]
    assert [one["name"] for one in found] == list(list_networks())
    insurance = next(one for one in found if one["name"] == "insurance")
    assert (insurance["variables"], insurance["arcs"]) == (27, 52)
    assert "Binder" in insurance["source"]
    assert run("networks").stdout.startswith(f"{len(found)} networks")
    lines = run("networks", "--quiet").stdout.splitlines()
    assert [line.split("\t")[0] for line in lines] == list(list_networks())


def test_a_listed_network_is_asked_by_its_name(run_json):
    assert run_json("query", "earthquake", "Alarm")["variables"] == ["Alarm"]


def test_sources_are_cited_shortly(run):
    shown = run("networks").stdout
    for source in ("Jensen & Kong 1999", "Onisko 2003", "Sachs et al. 2005"):
        assert source in shown
    assert max(map(len, shown.splitlines())) <= 100
