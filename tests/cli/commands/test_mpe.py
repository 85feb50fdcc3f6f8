def test_most_probable_states(run_json, run, asia_model):
    found = run_json("mpe", "asia", "--given", "xray=yes")
    answer = asia_model.mpe({"xray": "yes"})
    assert found["states"] == dict(answer)
    assert found["log_probability"] == answer.log_probability
    assert run("mpe", "asia", "xray=yes").stdout.startswith(
        "most probable states of 8 variables, given xray=yes"
    )
