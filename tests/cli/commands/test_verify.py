import treewright as tw


def test_a_valid_file(run, run_json, asia_model, tmp_path):
    path = tmp_path / "m.twm"
    tree = tw.JunctionTree.of(asia_model.dag.moral_graph())
    asia_model.save(path, certificate=tree, treewidth=3)
    found = run_json("verify", path)
    assert (found["valid"], found["width"], found["bound"]) == (True, 2, 3)
    assert (found["certificate"], found["violations"]) == ("stored", [])
    text = run("verify", path).stdout
    assert text.startswith(f"{path} is valid, and its treewidth is at most 2\n")
    assert "6, from the file" in text
    assert run("verify", path, "--quiet").stdout == "valid\t2\n"


def test_files_of_other_formats_and_examples(run_json, asia_model, tmp_path):
    tw.write_model(asia_model, tmp_path / "asia.bif")
    for name in ("asia", tmp_path / "asia.bif"):
        found = run_json("verify", name)
        assert (found["valid"], found["width"], found["certificate"]) == (True, 2, "computed")


def test_violations_are_exit_code_one(run, run_json, asia_file, tmp_path):
    asia_file.write_text(asia_file.read_text().replace("0.95", "0.94", 1))
    found = run_json("verify", asia_file, code=1)
    assert found["valid"] is False
    assert {violation["check"] for violation in found["violations"]} == {"checksum", "tables"}
    assert any("lung" in v["variables"] or "tub" in v["variables"] for v in found["violations"])
    text = run("verify", asia_file, code=1).stdout
    assert text.startswith(f"{asia_file} is not valid: 2 violations\n")
    assert "the file was damaged or edited" in text
    lines = run("verify", asia_file, "--quiet", code=1).stdout.splitlines()
    assert [line.split("\t")[0] for line in lines] == ["checksum", "tables"]


def test_a_bound_to_check(run_json):
    assert run_json("verify", "alarm", "--treewidth", "4")["valid"]
    found = run_json("verify", "alarm", "--treewidth", "3", code=1)
    assert (found["valid"], found["width"], found["bound"]) == (False, 4, 3)


def test_refusals(refused, run, tmp_path):
    assert "there is no model file" in refused("verify", tmp_path / "none.twm")
    (tmp_path / "m.twm").write_bytes(b"{}")
    assert "not known here" in run("verify", tmp_path / "m.twm", code=1).stdout
