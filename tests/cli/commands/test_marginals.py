def test_marginals(run, run_json, asia_model):
    found = run_json("marginals", "asia", "--given", "smoke=yes")
    answer = asia_model.marginals({"smoke": "yes"})
    assert found == {name: dict(answer[name]) for name in asia_model.schema.names}
    assert "8 variables, given smoke=yes" in run("marginals", "asia", "-g", "smoke=yes").stdout
    assert run("marginals", "asia", "-q").stdout.splitlines()[0].startswith("asia\tyes\t0.01")
