"""Memory of a CUDA device: copies, views by other libraries, kernels on it."""

import ctypes
import gc
import os
import re
import subprocess
import sys

import numpy as np
import pytest

pytestmark = [pytest.mark.cuda, pytest.mark.sanitize]

DTYPES = ["float64", "float32", "int32", "uint64"]
SHAPES = [(), (0,), (7,), (3, 0, 2), (4, 5), (2, 3, 4, 5)]


def extension():
    try:
        from kinemesh import _cuda
    except ImportError as error:
        pytest.skip(f"no CUDA: kinemesh._cuda was not built or cannot be loaded ({error})")
    return _cuda


@pytest.fixture(scope="module")
def cuda():
    """The extension module, where a device answers."""
    module = extension()
    try:
        count = module.device_count()
    except RuntimeError as error:
        pytest.skip(f"no CUDA device: {error}")
    if not count:
        pytest.skip("no CUDA device: the driver reports none")
    return module


@pytest.fixture(scope="module")
def backend(cuda):
    from kinemesh.device.backend import Backend

    return Backend("cuda", "float64")


def filled(cuda, values):
    array = cuda.Array(values.shape, values.dtype.name, 0)
    array.copy_from(values)
    return array


def fetched(array):
    host = np.empty(array.shape, array.dtype)
    array.copy_to(host)
    return host


def numbers(shape, dtype):
    return (np.arange(np.prod(shape, dtype=int)) * 3 + 1).astype(dtype).reshape(shape)


class Foreign:
    """Array of another library: the interface of an Array, with changes."""

    def __init__(self, array, **changes):
        self.array = array
        face = array.__cuda_array_interface__ | changes
        self.__cuda_array_interface__ = {k: v for k, v in face.items() if v != "absent"}


def run_without_devices(code):
    """Output of Python code for which no CUDA device is visible."""
    command = [sys.executable, "-c", code]
    hidden = os.environ | {"CUDA_VISIBLE_DEVICES": ""}
    return subprocess.run(command, env=hidden, capture_output=True, text=True, check=False)


@pytest.mark.no_sanitizer
@pytest.mark.parametrize("call", ["device_count()", "Array((2,), 'float64', 0)", "synchronize(0)"])
def test_without_a_device_import_works_and_the_first_call_says_why(call):
    extension()

    done = run_without_devices(f"from kinemesh import _cuda; print('imported'); _cuda.{call}")

    assert done.stdout == "imported\n"
    assert done.returncode == 1
    message = done.stderr.strip().splitlines()[-1]
    assert message.startswith("RuntimeError: CUDA: ")
    assert "driver" in message or "device" in message


@pytest.mark.parametrize(
    ("arguments", "error", "text"),
    [
        (((2,), "float16", 0), TypeError, "dtype has float16, expected float64"),
        (((2, -1), "int32", 0), ValueError, "shape has -1 along axis 1, expected at least 0"),
        (((1,) * 5, "int32", 0), ValueError, "shape has 5 axes, expected at most 4"),
        (((2**40, 2**40), "int32", 0), OverflowError, "expected fewer than 2.63 bytes"),
        (((1.5,), "int32", 0), TypeError, "integer"),
    ],
)
def test_impossible_arrays_are_refused(arguments, error, text):
    with pytest.raises(error, match=text):
        extension().Array(*arguments)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_an_array_starts_at_zero_and_returns_what_was_put(cuda, dtype, shape):
    array = cuda.Array(shape, dtype, 0)
    start = fetched(array)

    array.copy_from(numbers(shape, dtype))

    assert start.shape == shape
    assert not start.any()
    assert (fetched(array) == numbers(shape, dtype)).all()


def test_an_array_knows_itself(cuda):
    array = cuda.Array((3, 5), "int32", 0)

    assert (array.shape, array.dtype, array.device, array.nbytes) == ((3, 5), "int32", 0, 60)
    assert array.ptr > 0
    assert repr(array) == "<Array (3, 5) int32 on cuda:0>"
    assert cuda.Array(4, "int32").shape == (4,)


@pytest.mark.parametrize(
    ("host", "error", "text"),
    [
        (np.zeros((5, 3)), ValueError, r"has shape \(5, 3\), expected \(3, 5\)"),
        (np.zeros(15), ValueError, r"has shape \(15,\), expected \(3, 5\)"),
        (np.zeros((3, 5), "float32"), TypeError, "has dtype float32, expected float64"),
        (np.zeros((3, 5), ">f8"), TypeError, "has dtype >d, expected float64"),
        (np.zeros((5, 3)).T, ValueError, "not C-contiguous"),
        ([0.0], TypeError, "bytes-like"),
    ],
)
def test_copies_refuse_what_does_not_match(cuda, host, error, text):
    array = cuda.Array((3, 5), "float64", 0)

    with pytest.raises(error, match=text):
        array.copy_from(host)
    with pytest.raises(error, match=text):
        array.copy_to(host)


def test_a_read_only_buffer_is_not_written(cuda):
    array, host = cuda.Array(4, "float64"), np.zeros(4)
    host.setflags(write=False)

    array.copy_from(host)
    with pytest.raises(ValueError, match="copy_to: the buffer is read-only"):
        array.copy_to(host)


@pytest.mark.no_sanitizer
def test_too_large_an_array_is_a_memory_error_with_numbers(cuda):
    bytes_asked = 2**45

    with pytest.raises(MemoryError, match=rf"{bytes_asked} bytes on cuda:0, where \d+ of \d+ "):
        cuda.Array(bytes_asked // 8, "float64", 0)
    assert fetched(filled(cuda, np.ones(3))).tolist() == [1, 1, 1]


@pytest.mark.alone
def test_memory_comes_back_when_arrays_go(cuda):
    cuda.Array(1, "float64")
    before = cuda.device_properties(0)["free_bytes"]
    size = min(2**28, before // 4)

    array = cuda.Array(size // 8, "float64", 0)
    during = cuda.device_properties(0)["free_bytes"]
    del array

    assert before - during >= size
    assert cuda.device_properties(0)["free_bytes"] - during >= size


def test_the_array_interface_is_version_3(cuda):
    array = cuda.Array((3, 5), "uint64", 0)

    face = array.__cuda_array_interface__

    assert face.pop("stream") > 2
    assert face == {
        "shape": (3, 5), "typestr": "<u8", "data": (array.ptr, False), "strides": None, "version": 3
    }  # fmt: skip
    assert cuda.Array(0, "float64").__cuda_array_interface__["data"] == (0, False)


def capsule_name(capsule):
    name = ctypes.pythonapi.PyCapsule_GetName
    name.restype, name.argtypes = ctypes.c_char_p, [ctypes.py_object]
    return name(capsule)


@pytest.mark.parametrize("stream", [None, -1, 1, 2])
def test_dlpack_capsules_follow_the_version_that_is_asked_for(cuda, stream):
    array = cuda.Array((3, 5), "float32", 0)

    assert array.__dlpack_device__() == (2, 0)
    assert capsule_name(array.__dlpack__(stream=stream)) == b"dltensor"
    new = array.__dlpack__(stream=stream, max_version=(1, 1), dl_device=(2, 0), copy=False)
    assert capsule_name(new) == b"dltensor_versioned"


def test_dlpack_refuses_what_it_cannot_do(cuda):
    array = cuda.Array(3, "float64", 0)

    with pytest.raises(BufferError, match=r"dl_device has \(1, 0\), expected \(2, 0\)"):
        array.__dlpack__(dl_device=(1, 0))
    with pytest.raises(BufferError, match="copy has True"):
        array.__dlpack__(copy=True)
    with pytest.raises(ValueError, match="stream has 0"):
        array.__dlpack__(stream=0)


def test_capsules_that_nobody_takes_release_their_array(cuda):
    array = cuda.Array(3, "float64", 0)
    before = sys.getrefcount(array)

    capsules = [array.__dlpack__(), array.__dlpack__(max_version=(1, 0))]

    assert sys.getrefcount(array) == before + 2
    capsules.clear()
    assert sys.getrefcount(array) == before


@pytest.mark.no_sanitizer
@pytest.mark.parametrize("library", ["torch", "cupy"])
@pytest.mark.parametrize("dtype", ["float64", "float32", "int32"])
def test_other_libraries_share_the_memory(cuda, library, dtype):
    other = pytest.importorskip(library)
    values = numbers((3, 5), dtype)
    array = filled(cuda, values)

    view = other.from_dlpack(array)
    view += 1

    assert (fetched(array) == values + 1).all()
    assert view.__cuda_array_interface__["data"][0] == array.ptr
    where = {"device": "cuda"} if library == "torch" else {}
    by_interface = (other.as_tensor if where else other.asarray)(array, **where)
    assert by_interface.__cuda_array_interface__["data"][0] == array.ptr
    del array, by_interface
    gc.collect()
    assert (np.asarray(view.tolist()) == values + 1).all()


@pytest.mark.no_sanitizer
@pytest.mark.parametrize("library", ["torch", "cupy"])
def test_arrays_of_other_libraries_are_bound(backend, library):
    other = pytest.importorskip(library)
    where = {"device": "cuda"} if library == "torch" else {}
    there = {"from": other.arange(1000, dtype=other.float64, **where) * 2}
    there["to"] = other.zeros_like(there["from"])

    backend.bind("copy_f64", **there)()
    backend.synchronize()

    assert there["to"].tolist() == [2.0 * i for i in range(1000)]


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"strides": (8,)},
        {"stream": None},
        {"stream": 1},
        {"stream": "absent", "version": 2},
        {"strides": "absent"},
        {"mask": None},
    ],
    ids=str,
)
def test_what_shows_the_array_interface_is_bound(cuda, backend, changes):
    there = {"from": Foreign(filled(cuda, numbers(7, "float64")), **changes)}
    there["to"] = cuda.Array(7, "float64", 0)

    backend.bind("copy_f64", **there)()

    assert (fetched(there["to"]) == numbers(7, "float64")).all()


@pytest.mark.parametrize(
    ("changes", "error", "text"),
    [
        ({"typestr": "<i8"}, TypeError, "from has typestr '<i8', expected float64 array"),
        ({"typestr": ">f8"}, TypeError, "from has typestr '>f8', expected float64 array"),
        ({"typestr": "<f4"}, TypeError, "from has dtype float32, expected float64"),
        ({"strides": (16,)}, TypeError, "from has memory that is not C-contiguous, expected"),
        ({"shape": (6,)}, ValueError, "expected items = 6"),
        ({"shape": 7}, TypeError, "from has shape 7, expected float64 array"),
        ({"mask": 1}, TypeError, "from has a mask, expected float64 array"),
        ({"stream": 0}, TypeError, "from has stream 0, which names none, expected float64 array"),
        ({"data": None}, TypeError, "from has data None, expected float64 array"),
        ({"data": "of the host"}, TypeError, "from has CUDA: .*no CUDA device"),
    ],
    ids=str,
)
def test_a_wrong_array_interface_is_refused(cuda, backend, changes, error, text):
    if changes.get("data"):  # an address in the test's name would be another in each process
        changes = {"data": (np.ones(7).ctypes.data, False)}
    there = {"from": Foreign(cuda.Array(7, "float64"), **changes), "to": cuda.Array(7, "float64")}

    with pytest.raises(error, match=text):
        backend.bind("copy_f64", **there)


def test_read_only_memory_of_another_library_is_not_written(cuda, backend):
    array = cuda.Array(7, "float64", 0)
    frozen = Foreign(array, data=(array.ptr, True))

    assert backend.bind("copy_f64", **{"from": frozen, "to": cuda.Array(7, "float64")})
    with pytest.raises(ValueError, match="to has read-only memory, expected writable"):
        backend.bind("copy_f64", **{"from": cuda.Array(7, "float64"), "to": frozen})


def test_empty_arrays_of_another_library_are_no_work(cuda, backend):
    there = {name: Foreign(cuda.Array(0, "float64")) for name in ("from", "to")}

    call = backend.bind("copy_f64", **there)
    call()
    backend.record([call, call])()
    backend.synchronize()


def test_host_arrays_are_refused_on_a_device(backend):
    with pytest.raises(TypeError, match=r"ndarray.*, which is not memory of a CUDA device"):
        backend.bind("copy_f64", **{"from": np.zeros(7), "to": np.zeros(7)})


def test_a_call_keeps_its_arrays_alive_and_lets_go_of_them(cuda, backend):
    source, to = filled(cuda, np.ones(7)), cuda.Array(7, "float64", 0)
    before = sys.getrefcount(source)

    replay = backend.record([backend.bind("copy_f64", **{"from": source, "to": to})])

    assert sys.getrefcount(source) == before + 1
    replay()
    del replay
    assert sys.getrefcount(source) == before
    assert (fetched(to) == 1).all()


@pytest.mark.parametrize("sizes", [[1], [255, 256, 257], [70000, 0, 3]], ids=str)
def test_sums_on_the_device_are_those_of_the_host(backend, host, sizes):
    """Whole numbers: every order of summation gives the same bits."""
    values = numbers((sum(sizes), 4), "float64")
    offsets = np.concatenate([[0], np.cumsum(sizes)]).astype("int32")
    sums = []

    for where in (host, backend):
        there = {"offsets": where.array(offsets, "int32"), "parts": where.array(values, "float64")}
        there["sums"] = where.zeros((len(sizes), 4), "float64")
        where.bind("gather_sum_4", **there)()
        sums.append(where.get(there["sums"]))

    assert (sums[0] == sums[1]).all()


def test_a_device_describes_itself(cuda):
    properties = cuda.device_properties(0)

    assert 0 < properties["free_bytes"] <= properties["memory_bytes"]
    assert properties["multiprocessors"] > 0
    assert all(properties[k].count(".") == 1 for k in ("compute_capability", "driver", "runtime"))
    assert properties["name"]
    assert re.fullmatch(r"[0-9A-Fa-f]{4,8}:[0-9A-Fa-f]{2}:[0-9A-Fa-f]{2}\.0", properties["pci"])
    assert cuda.copy_bandwidth(0, 2**26) > 1
    with pytest.raises(RuntimeError, match="invalid device ordinal"):
        cuda.device_properties(cuda.device_count())


def test_a_table_is_looked_at_again_where_it_may_have_changed(backend):
    """Results of bind's check stay with the array, while nobody can write it unseen."""
    b = backend
    fields = {"body": b.zeros(3, np.int32), "pose": b.zeros((1, 6), np.float64)}
    fields |= {name: b.zeros((4, 2), np.float64) for name in ("reference", "x")}
    table = b.array([0, 1, 3], np.int32)

    def bound():
        return b.bind("pose_move", node=table, **fields)

    bound(), bound()
    b.put(table, [0, 1, 4])
    with pytest.raises(IndexError, match=r"node\[2\] is 4, expected an index into nodes = 4"):
        bound()
    b.put(table, [0, 1, 1])
    with pytest.raises(IndexError, match=r"node\[2\] is 1 for the second time"):
        bound()
    b.put(table, [0, 1, 2])
    bound()
    fields |= {name: b.zeros((2, 2), np.float64) for name in ("reference", "x")}
    with pytest.raises(IndexError, match=r"node\[2\] is 2, expected an index into nodes = 2"):
        bound()
