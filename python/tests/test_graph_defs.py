"""GraphDefs: nodes and attributes are read as TensorFlow's are."""

import numpy as np
import pytest
import weft as wf


def test_the_listing_of_the_notes_is_read():
    @wf.function
    def a():
        return wf.add(wf.tensor(3, dtype=wf.int32), wf.tensor(5, dtype=wf.int32))

    definition = a.get_concrete_function().as_graph_def()
    x = definition.node[0]
    assert x.name == "Add/x" and x.attr["value"].tensor.int_val == [3]
    assert str(x.attr["value"]) == "tensor {\n  dtype: DT_INT32\n  tensor_shape {\n  }\n  int_val: 3\n}\n"
    assert str(x) in "".join(line[2:] + "\n" for line in str(definition).splitlines()) and str(x).startswith('name: "Add/x"\nop: "Const"')
    assert list(x.attr) == [key for key in x.attr] == ["dtype", "value"] and "value" in x.attr and len(x.attr) == 2
    assert repr(x) == str(x) and x.attr["dtype"].type == 3 and x.attr["dtype"].type.name == "DT_INT32"


def test_attributes_of_every_kind():
    with wf.Graph() as g:
        x = wf.placeholder("f32[n, 4]", name="x")
        table = wf.tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0], [7.0, 8.0]])
        y = wf.matmul(x, table)
        wf.identity(wf.concat([y, y], axis=1), "both")
        wf.identity(wf.cond(wf.sum(y) > 0.5, lambda: y, lambda: -y), "chosen")
    nodes = {node.name: node for node in g.as_graph_def().node}
    shape = nodes["x"].attr["shape"]
    assert [d.size for d in shape.shape.dim] == [-1, 4] and shape.WhichOneof("value") == "shape" and shape.HasField("shape")
    product = next(node for node in nodes.values() if "MatMul" in node.op)
    flag = next(value for node in nodes.values() for value in node.attr.values() if value.HasField("b"))
    assert isinstance(flag.b, bool) and str(flag) == f"b: {str(flag.b).lower()}\n" and product.attr["T"].type == 1 and product.attr["T"].i == 0 and product.attr["T"].s == b""
    tensors = [node.attr["value"].tensor for node in nodes.values() if node.op == "Const"]
    (values,) = [t for t in tensors if len(t.tensor_shape.dim) == 2]
    assert values.dtype == 1 and [d.size for d in values.tensor_shape.dim] == [4, 2] and values.float_val == []
    np.testing.assert_array_equal(values.numpy(), table.numpy())
    assert values.tensor_content == table.numpy().tobytes()
    (half,) = [t for t in tensors if t.float_val]
    assert half.float_val == [0.5] and half.numpy() == 0.5 and half.int_val == []
    functions = [value.func.name for node in nodes.values() for value in node.attr.values() if value.HasField("func")]
    assert len(functions) == 2 and all(functions)
    lists = [value.list for node in nodes.values() for value in node.attr.values() if value.HasField("list")]
    assert any(one.type and all(t == 1 for t in one.type) for one in lists)
    with pytest.raises(AttributeError, match="AttrValue has no 'x'"):
        product.attr["T"].x
    with pytest.raises(KeyError):
        product.attr["nothing"]
    with pytest.raises(TypeError):
        product.attr["T"] = 3


def test_texts_are_bytes():
    with wf.Graph() as g:
        wf.nn.conv2d(wf.placeholder("f32[1, 2, 5, 5]", name="x"), wf.ones((3, 2, 3, 3)))
    texts = {key: value for node in g.as_graph_def().node for key, value in node.attr.items() if value.HasField("s")}
    assert texts and all(isinstance(value.s, bytes) and f's: "{value.s.decode()}"' in str(value) for value in texts.values())


@pytest.mark.parametrize("dtype, value, line", [(np.uint64, 2 ** 64 - 1, "uint64_val: 18446744073709551615"),
                                                (np.int8, -3, "int_val: -3"), (np.bool_, True, "bool_val: true"),
                                                (np.float32, 0.5, "float_val: 0.5")])
def test_constants_of_one_element_are_written_whole(dtype, value, line):
    with wf.Graph() as g:
        wf.identity(wf.tensor(np.array([value], dtype)))
    assert line in str(g.as_graph_def())
