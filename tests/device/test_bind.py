"""Every wrong argument is refused with the kernel, the field, what it has and what was expected."""

import mmap
import re

import numpy as np
import pytest
from kinemesh.device.backend import Backend
from kinemesh.errors import DeviceError, SettingsError
from samples import kernels, parse, place, sample

pytestmark = pytest.mark.leaks

MAP_NORESERVE = 0x4000  # Linux; addresses without memory behind them
MOST = 2**31 - 1 - 256  # numbers of an array: a block of threads less than i32 holds


def refused(backend, kernel, error, *words, over=None, without=(), **changes):
    """Bind a good sample with some fields changed; the message must hold the words in order."""
    chosen = sample(kernel)
    fields = {k: v for k, v in place(backend, chosen).items() if k not in without}
    fields |= {k: v(fields[k]) if callable(v) else v for k, v in changes.items()}
    pattern = ".*".join(re.escape(word) for word in (f"{kernel}: ", *words))
    with pytest.raises(error, match=f"^{pattern}"):
        backend.bind(kernel, over=over, **fields)


def edited(backend, kernel, field, index, value):
    """A table of the sample with one entry changed."""
    table = sample(kernel).values[field].copy()
    table[index] = value
    return backend.array(table, table.dtype)


@pytest.mark.long
@pytest.mark.parametrize("kernel", kernels())
def test_every_field_is_asked_for(double, kernel):
    for name, _, _, shape in sample(kernel).rows:
        refused(double, kernel, TypeError, f"{name} is missing, expected ({shape})", without=[name])


@pytest.mark.long
@pytest.mark.parametrize("kernel", kernels())
def test_every_array_has_its_dtype(double, kernel):
    chosen = sample(kernel)
    want = {"i32": "int32", "u64": "uint64", "f64": "float64", "real": "float64", "f32": "float32"}
    for name, _, kind, _ in chosen.rows:
        if not np.ndim(chosen.values[name]):
            continue
        for wrong in {"int32", "uint64", "float64", "float32"} - {want[kind]}:
            array = double.zeros(chosen.values[name].shape, wrong)
            expected = f"{name} has dtype {wrong}, expected {want[kind]}"
            refused(double, kernel, TypeError, expected, **{name: array})


def test_real_follows_the_precision_of_the_backend(backend):
    other = "float32" if backend.dtype == "float64" else "float64"
    chosen = sample("copy_state")
    fields = place(backend, chosen) | {"from": backend.zeros((7, 4), other)}

    with pytest.raises(TypeError, match=f"from has dtype {other}, expected {backend.dtype}"):
        backend.bind("copy_state", **fields)


@pytest.mark.parametrize("dtype", ["int64", "int16", "bool", ">i4", "complex128"])
def test_a_dtype_that_no_kernel_takes_is_refused(host, dtype):
    table = sample("dual_normals").values["lr"].astype(dtype)

    refused(host, "dual_normals", TypeError, "lr has dtype ", ", expected int32", lr=table)


def test_a_dtype_that_no_kernel_takes_is_named(host):
    table = sample("dual_normals").values["lr"].astype(np.int64)

    refused(host, "dual_normals", TypeError, "lr has dtype int64, expected int32", lr=table)


@pytest.mark.parametrize("kernel", kernels())
def test_every_array_has_its_number_of_axes(double, kernel):
    chosen = sample(kernel)
    for name, _, _, shape in chosen.rows:
        value = chosen.values[name]
        if not np.ndim(value):
            continue
        array = double.zeros((*value.shape, 1), dtype_of(chosen, name))
        axes = f"{name} has {value.ndim + 1} axes, expected ({shape})"
        refused(double, kernel, ValueError, axes, **{name: array})


def dtype_of(chosen, name):
    kind = next(row[2] for row in chosen.rows if row[0] == name)
    return {"i32": "int32", "u64": "uint64", "f64": "float64", "f32": "float32",
            "real": "real"}[kind]  # fmt: skip


@pytest.mark.parametrize("kernel", kernels())
def test_every_extent_is_checked(double, kernel):
    """One more along an axis: a number differs, or a set that another array fixes as well."""
    chosen = sample(kernel)
    uses = [a for _, mode, _, s in chosen.rows if mode != "val" for a, _ in parse(s)[0]]
    uses += [parse(s)[1] for _, _, _, s in chosen.rows if ">>" in s]
    for name, mode, _, shape in chosen.rows:
        if mode == "val":
            continue
        for d, (axis, _) in enumerate(parse(shape)[0]):
            size = list(chosen.values[name].shape)
            size[d] += 1
            array = double.zeros(size, dtype_of(chosen, name))
            if isinstance(axis, int):
                text = f"{name} has {size[d]} along axis {d}, expected the number = {axis}"
                refused(double, kernel, ValueError, text, **{name: array})
            elif [u for u in uses if u == axis][1:]:
                with pytest.raises((ValueError, IndexError), match=f"^{kernel}: .* expected "):
                    double.bind(kernel, **(place(double, chosen) | {name: array}))


def test_a_set_is_fixed_by_its_first_use(double):
    short = double.zeros((5, 2), "float64")
    nodes = len(sample("ale_flux_roe").values["member"])

    refused(
        double,
        "ale_flux_roe",
        ValueError,
        f"x has 5 along axis 0, expected nodes = {nodes}",
        x=short,
    )


def test_offsets_are_one_longer_than_their_set(double):
    nodes = len(sample("ale_residual").values["member"])
    short = double.zeros(nodes, "int32")
    text = f"offsets has {nodes} along axis 0, expected nodes+1 = {nodes + 1}"

    refused(double, "ale_residual", ValueError, text, offsets=short)


def test_an_empty_offsets_table_is_refused(double):
    empty = double.zeros(0, "int32")

    refused(double, "gather_sum_4", ValueError, "offsets has 0 along axis 0, expected groups+1",
            offsets=empty)  # fmt: skip


def test_an_unknown_field_is_refused(double):
    refused(double, "ale_flux_roe", TypeError, "has no field spin", spin=double.zeros(3))


def test_memory_that_is_not_contiguous_is_refused(host):
    for wrong in (lambda a: np.repeat(a, 2, 0)[::2], np.asfortranarray, lambda a: a[::-1]):
        refused(host, "ale_flux_roe", TypeError, "q has ", "contiguous", ", expected float64 array",
                q=wrong)  # fmt: skip


def test_read_only_memory_is_refused_only_where_it_is_written(host):
    def frozen(array):
        array.setflags(write=False)
        return array

    fields = place(host, sample("bc_wall"))

    assert host.bind("bc_wall", **(fields | {"q": frozen(fields["q"])}))
    text = "res has read-only memory, expected writable (mode rw)"
    refused(host, "bc_wall", ValueError, text, res=frozen)


@pytest.mark.parametrize("value", [[1.0, 2.0], 3.0, "text", object()])
def test_what_is_not_an_array_is_refused(double, value):
    refused(double, "copy_f64", TypeError, "from has ", ", expected float64 array (items)",
            **{"from": value})  # fmt: skip


def test_none_is_refused_where_a_field_is_not_optional(double):
    refused(double, "copy_f64", TypeError, "to has None, expected an array (items)", to=None)


def test_none_stands_for_an_absent_optional_field(backend):
    """Without a vortex the far field is that of a vortex without strength."""
    chosen = sample("bc_farfield")
    found = []
    for strength in (None, backend.zeros(2, "float64"), backend.array([0.1, 0.1], "float64")):
        there = place(backend, chosen) | {"strength": strength}
        backend.bind("bc_farfield", **there)()
        found.append(backend.get(there["res"]))

    without, at_rest, vortex = found
    assert np.abs(without - at_rest).max() <= 64 * backend.eps * np.abs(at_rest).max()
    assert np.abs(without - vortex).max() > 1e-3


@pytest.mark.parametrize("kernel", ["copy_f64", "block_lower_2", "krylov_begin_4"])
def test_written_memory_may_overlap_no_other_field(double, kernel):
    names = {
        "copy_f64": ("to", "from"),
        "block_lower_2": ("y", "b"),
        "krylov_begin_4": ("x", "r"),
    }
    written, other = names[kernel]
    same = double.array(sample(kernel).values[other], "float64")

    refused(double, kernel, ValueError, "overlaps", "expected memory of its own",
            **{written: same, other: same})  # fmt: skip


def test_partly_shared_memory_is_an_overlap(host):
    memory = np.zeros(13)
    fields = {"from": memory[:7], "to": memory[6:]}

    with pytest.raises(ValueError, match="copy_f64: to overlaps from, expected memory of its own"):
        host.bind("copy_f64", **fields)
    assert host.bind("copy_f64", **{"from": memory[:6], "to": memory[6:12]})


def test_fields_that_are_only_read_may_share_memory(double):
    there = place(double, sample("state_past"))
    there |= {"V2": there["V1"], "u2": there["u1"]}

    assert double.bind("state_past", **there)


TABLES = [(k, *row) for k, (_, rows) in kernels().items() for row in rows if ">" in row[3]]
LIMITS = [t for t in TABLES if ">>" not in t[4]]


@pytest.mark.parametrize(
    ("kernel", "field", "shape"), [(k, f, s) for k, f, _, _, s in LIMITS], ids=lambda v: str(v)
)
def test_every_index_stays_inside_its_set(double, kernel, field, shape):
    chosen = sample(kernel)
    target = parse(shape)[1]
    limit = next(
        chosen.values[name].shape[d] - plus
        for name, mode, _, s in chosen.rows if mode != "val"
        for d, (axis, plus) in enumerate(parse(s)[0]) if axis == target
    )  # fmt: skip
    last = chosen.values[field].size - 1
    where = np.unravel_index(last, chosen.values[field].shape)
    for wrong in (limit, -2 if "?" in shape else -1, 2**31 - 1, -(2**31)):
        text = f"{field}[{last}] is {wrong}, expected an index into {target} = {limit}"
        table = edited(double, kernel, field, where, wrong)
        refused(double, kernel, IndexError, text, **{field: table})


@pytest.mark.parametrize(
    ("kernel", "field", "shape"),
    [(k, f, s) for k, f, _, _, s in LIMITS if "?" in s],
    ids=lambda v: str(v),
)
def test_an_optional_index_may_be_minus_one(double, kernel, field, shape):
    chosen = sample(kernel)
    first = (0,) * chosen.values[field].ndim

    assert double.bind(
        kernel, **(place(double, chosen) | {field: edited(double, kernel, field, first, -1)})
    )


@pytest.mark.parametrize(
    ("kernel", "field", "shape"),
    [(k, f, s) for k, f, _, _, s in LIMITS if "!" in s],
    ids=lambda v: str(v),
)
def test_an_index_that_must_be_unique_is_not_repeated(double, kernel, field, shape):
    values = sample(kernel).values[field].ravel()
    table = values.copy()
    table[-1] = table[0]
    text = f"{field}[{len(table) - 1}] is {table[0]} for the second time, expected each of "
    table = double.array(table.reshape(sample(kernel).values[field].shape), "int32")

    refused(double, kernel, IndexError, text, parse(shape)[1], " once", **{field: table})


def test_an_index_may_stand_again_in_a_part_of_its_own(double):
    """Two rows of one node, each in a call of its own; the first may be no part of the second."""
    chosen = sample("bc_wall")
    there = place(double, chosen)
    there["node"] = double.array(
        np.append(chosen.values["node"][1:], chosen.values["node"][1]), "int32"
    )
    last = len(chosen.values["node"]) - 1

    with pytest.raises(IndexError, match="for the second time"):
        double.bind("bc_wall", **there)
    with pytest.raises(IndexError, match="for the second time"):
        double.bind("bc_wall", over=(0, last + 1), **there)
    whole = double.bind("bc_wall", over=(0, last), **there)
    double.bind("bc_wall", over=(last, 1), **there)()
    double.part(whole, (1, last - 1))()
    with pytest.raises(
        IndexError, match=rf"over has \(0, {last + 1}\), expected a part of the bnodes"
    ):
        double.part(whole, (0, last + 1))


@pytest.mark.parametrize(
    ("kernel", "field", "shape"),
    [(k, f, s) for k, f, _, _, s in TABLES if ">>" in s],
    ids=lambda v: str(v),
)
def test_offsets_rise_from_zero_to_their_target(double, kernel, field, shape):
    values, target = sample(kernel).values[field], parse(shape)[1]
    limit, last = int(values[-1]), len(values) - 1
    wrong = [(0, 1), (0, -1), (1, limit + 1), (2, int(values[1]) - 1), (last, limit - 1)]
    wrong += [(last, limit + 1)]
    for at, value in wrong:
        table = edited(double, kernel, field, at, value)
        with pytest.raises(IndexError) as error:
            double.bind(kernel, **(place(double, sample(kernel)) | {field: table}))
        text = str(error.value)
        assert text.startswith(f"{kernel}: {field}[")
        assert text.endswith(f", expected offsets that rise from 0 to {target} = {limit}")


def items():
    return len(sample("copy_f64").values["from"])


@pytest.mark.parametrize(
    "over", [(0, items() + 1), (-1, 2), (items(), 1), (0, -1), (2**31 - 1, 2**31 - 1)]
)
def test_over_is_a_part_of_the_set(double, over):
    first, count = over
    text = f"over has ({first}, {count}), expected a part of items = {items()}"

    refused(double, "copy_f64", IndexError, text, over=over)


@pytest.mark.parametrize("over", [3, [0, 1], (0,), (0, 1, 2), (0.0, 1), ("a", 1), (2**40, 1)])
def test_over_is_a_pair_of_ints(double, over):
    refused(double, "copy_f64", TypeError, "over has ", ", expected (first, count)", over=over)


def test_over_runs_its_part_and_no_more(backend):
    there = place(backend, sample("copy_f64"))
    start = sample("copy_f64").values["from"]

    backend.bind("copy_f64", over=(2, 3), **there)()
    backend.bind("copy_f64", over=(items(), 0), **there)()

    to = backend.get(there["to"])
    assert (to[2:5] == start[2:5]).all()
    assert np.isnan(np.delete(to, [2, 3, 4])).all()


def test_over_keeps_the_strides_of_the_whole_set(backend):
    whole, parts = (place(backend, sample("dual_normals")) for _ in range(2))
    edges = len(sample("dual_normals").values["lr"])

    backend.bind("dual_normals", **whole)()
    for first in range(0, edges, 9):
        backend.bind("dual_normals", over=(first, min(9, edges - first)), **parts)()

    assert backend.get(whole["S"]).tobytes() == backend.get(parts["S"]).tobytes()


def test_a_part_of_a_call_is_what_over_binds(backend):
    """Also once the whole call and the names of its arrays are gone, but for what is read."""
    whole, parts = (place(backend, sample("dual_normals")) for _ in range(2))
    edges = len(sample("dual_normals").values["lr"])
    S = parts["S"]
    calls = [
        backend.part(backend.bind("dual_normals", **parts), (first, min(9, edges - first)))
        for first in range(0, edges, 9)
    ]
    del parts

    backend.bind("dual_normals", **whole)()
    backend.record(calls)()

    assert backend.get(whole["S"]).tobytes() == backend.get(S).tobytes()
    assert repr(calls[1]) == f"<call dual_normals over edges 9..{min(18, edges)}>"


@pytest.mark.parametrize(
    ("over", "error"),
    [((0, items() + 1), IndexError), ((-1, 2), IndexError), ((0,), TypeError), ((), TypeError),
     ((0.0, 1), TypeError)],
)  # fmt: skip
def test_a_part_lies_within_the_set(double, over, error):
    call = double.bind("copy_f64", **place(double, sample("copy_f64")))

    with pytest.raises(error, match="copy_f64: over has "):
        call.part(*over)


@pytest.mark.parametrize("value", [2**31, -(2**31) - 1, 2**80])
def test_an_int_beyond_32_bits_is_refused(double, value):
    text = f"most has {value}, expected a 32-bit int"

    refused(double, "residual_check", OverflowError, text, most=value)


@pytest.mark.parametrize("value", [1.5, "9", None, [9]])
def test_an_int_is_not_a_float_or_a_text(double, value):
    refused(double, "residual_check", TypeError, "most has ", "expected an int", most=value)


@pytest.mark.parametrize("value", ["much", None, 1j, [0.1]])
def test_a_scalar_is_a_number(double, value):
    refused(
        double,
        "ale_flux_roe",
        TypeError,
        "entropy_fix has ",
        "expected a number",
        entropy_fix=value,
    )


@pytest.mark.parametrize("number", [np.float64(0.1), np.float32(0.1), 0, True])
def test_numbers_of_all_kinds_are_scalars(double, number):
    assert double.bind(
        "ale_flux_roe", **(place(double, sample("ale_flux_roe")) | {"entropy_fix": number})
    )


@pytest.fixture(scope="module")
def many():
    """An array of 2^31 numbers without memory behind them."""
    memory = mmap.mmap(-1, 2**33, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | MAP_NORESERVE)
    return np.frombuffer(memory, np.int32)


@pytest.mark.parametrize("entries", [2**31, MOST + 1])
def test_an_array_that_kernels_cannot_count_is_refused(host, many, entries):
    refused(host, "state_primitive", OverflowError, f"member has {entries} entries",
            f"expected at most {MOST}", member=many[:entries])  # fmt: skip


def test_an_array_that_kernels_cannot_count_is_refused_before_it_is_made(backend, many):
    """Numbers of an array, and blocks of a matrix, that of 2.2 thousand million in space."""
    rows, before = 15 * 5_727_000, backend.allocated

    with pytest.raises(DeviceError, match=rf"shape \({rows}, 25\) has {25 * rows} numbers"):
        backend.zeros((rows, 25), "float32")
    with pytest.raises(DeviceError, match=rf"shape \({MOST + 1}, 25\) has {MOST + 1} blocks"):
        backend.zeros((MOST + 1, 25), "float32", blocks=True)
    with pytest.raises(DeviceError, match=f"expected at most {MOST}"):
        backend.table(many[: MOST + 1])

    assert backend.allocated == before
    if not backend.on_gpu:
        assert backend.table(many[:MOST]).size == MOST


@pytest.mark.parametrize("name", ["copy", "copy_f", "flux_ro", "", "_", "copy_f64_f16"])
def test_an_unknown_kernel_is_refused(double, name):
    with pytest.raises(KeyError, match=f"no kernel {name}"):
        double._module.bind(name)


def test_a_call_holds_its_memory_as_long_as_it_lives(host):
    view = memoryview(bytearray(56)).cast("d")
    call = host.bind("copy_f64", **{"from": view, "to": np.zeros(7)})

    with pytest.raises(BufferError):
        view.release()
    del call
    view.release()


def test_a_refused_bind_lets_go_of_its_memory(host):
    view = memoryview(bytearray(56)).cast("d")

    with pytest.raises(ValueError, match="to has 8 along axis 0"):
        host.bind("copy_f64", **{"from": view, "to": np.zeros(8)})

    view.release()


def test_a_call_names_itself_and_its_part(double):
    call = double.bind("copy_f64", over=(2, 3), **place(double, sample("copy_f64")))

    assert repr(call) == "<call copy_f64 over items 2..5>"


def test_an_empty_set_is_no_work_and_no_error(backend):
    there = {name: backend.zeros(0, "float64") for name in ("from", "to")}

    backend.bind("copy_f64", **there)()


@pytest.mark.parametrize("device", ["tpu", "cuda:x", "cuda:", "cuda:99", "CPU"])
def test_a_device_that_is_not_there_is_named(device):
    with pytest.raises(DeviceError, match=re.escape(device)):
        Backend(device)


def test_a_dtype_that_is_not_there_is_named():
    with pytest.raises(SettingsError, match="dtype is 'float16', expected one of float64, float32"):
        Backend("cpu", "float16")
