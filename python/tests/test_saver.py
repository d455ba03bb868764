"""Saver: Variables of a graph in files, by nodes of the graph."""

import pytest

import weft as wf


@pytest.fixture
def made():
    with wf.Graph() as g:
        w = wf.Variable([1.0, 2.0], name="w")
        step = w.assign_add(wf.ones(2))
        saver = wf.Saver(max_to_keep=2)
    return g, w, step, saver


def test_variables_are_saved_and_restored(made, tmp_path):
    g, w, step, saver = made
    with wf.Session(g) as session:
        assert wf.latest_checkpoint(tmp_path) is None
        for number in (1, 2, 3):
            session.run(step)
            path = saver.save(session, tmp_path / "model", global_step=number)
        assert path == str(tmp_path / "model-3") == wf.latest_checkpoint(tmp_path)
        assert saver.last_checkpoints == [str(tmp_path / f"model-{n}") for n in (2, 3)]
        saver.restore(session, tmp_path / "model-2")
        assert w.tolist() == [3.0, 4.0] and wf.load(path)["w"].tolist() == [4.0, 5.0]
        assert saver.save(session, tmp_path / "plain") == str(tmp_path / "plain")


def test_the_nodes_are_in_the_text_and_in_the_graph_def(made):
    g, _, _, saver = made
    assert 'save_tensors' in str(g) and str(wf.Graph.parse(str(g))) == str(g)
    ops = {node.name: node.op for node in g.as_graph_def().node}
    assert ops["save/SaveTensors"] == "SaveV2" and ops["save/RestoreTensors"] == "RestoreV2"
    assert saver.save_op.name == "save/SaveTensors" and saver.restore_op.name == "save/restore_all"


def test_some_under_other_names(made, tmp_path):
    g, w, _, _ = made
    saver = wf.Saver({"renamed": w}, graph=g)
    with wf.Session(g) as session:
        assert list(wf.load(saver.save(session, tmp_path / "a"))) == ["renamed"]


@pytest.mark.parametrize("call, said", [
    (lambda g, w: wf.Saver(3, graph=g), "Saver: var_list must be a list or a dict of Variables, but got 3 [Saver.var_list]"),
    (lambda g, w: wf.Saver([3], graph=g), "Saver: var_list has 3, which is no Variable [Saver.var_list]"),
    (lambda g, w: wf.Saver([w, w], graph=g),
     "Saver: two variables have the name 'w'; give them names of their own, or save them by a dict [Saver.names]"),
    (lambda g, w: wf.Saver([w], max_to_keep=0, graph=g),
     "Saver: max_to_keep is 0; it is 1 or more, or none to keep all [Saver.max_to_keep]"),
    (lambda g, w: wf.Saver([w], graph=g).save(3, "a"), "Saver: needs a Session, but got 3 [Saver.session]"),
    (lambda g, w: wf.Saver([w]), "Saver: no graph is open here; write `with wf.Graph() as g:` around it [Saver.graph]"),
])
def test_wrong_calls(made, call, said):
    with pytest.raises(wf.Error) as caught:
        call(made[0], made[1])
    assert str(caught.value).split("\n")[0] == said


def test_variables_of_one_name_are_numbered(tmp_path):
    with wf.Graph() as g:
        model = wf.nn.Sequential(wf.nn.Linear(3, 4), wf.nn.Linear(4, 2))
        out = model(wf.ones((1, 3)))
        saver = wf.Saver()
    session = wf.Session(g)
    before = session.run(out)
    path = saver.save(session, tmp_path / "model")
    assert sorted(wf.load(path)) == ["bias", "bias_1", "weight", "weight_1"]
    for parameter in model.parameters():
        parameter.assign(parameter * 0.0)
    assert (session.run(out) == 0).all()
    saver.restore(session, path)
    assert (session.run(out) == before).all() and (before != 0).any()
