from treewright.networks import example_networks


def test_the_catalogue_is_listed(run, run_json):
    found = run_json("networks")["networks"]
    assert [one["name"] for one in found] == list(example_networks())
    insurance = next(one for one in found if one["name"] == "insurance")
    assert (insurance["variables"], insurance["arcs"]) == (27, 52)
    assert "Binder" in insurance["source"]
    assert run("networks").stdout.startswith(f"{len(found)} networks")
    lines = run("networks", "--quiet").stdout.splitlines()
    assert [line.split("\t")[0] for line in lines] == list(example_networks())


def test_a_listed_network_is_asked_by_its_name(run_json):
    assert run_json("query", "earthquake", "Alarm")["variables"] == ["Alarm"]
