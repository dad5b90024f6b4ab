"""Arrays whose rows are spread over a cluster: Dask arrays, computed block by block where they lie.

The numerical core reads them by the same lines as any other array. Here is what it needs beside those: when to compute,
how to wait, and which rows come to the client.
"""

from collections.abc import Callable, Sequence
from functools import partial
from itertools import pairwise
from typing import Any
from uuid import uuid4

import numpy as np

from .arrays import Array, compat, is_array, is_foreign, namespace, to_numpy, total
from .memory import available
from .waiting import running_client


def is_spread(x: Any) -> bool:
    """Whether x is an array that lives in blocks on a cluster."""
    return bool(compat.is_dask_array(x))


def read(X: Any) -> Any:
    """A Dask data frame as the array of its numbers; anything else as it is."""
    return X.to_dask_array(lengths=True) if hasattr(X, "to_dask_array") else X


def aligned(x: Any, like: Any) -> Any:
    """x in the blocks of rows of `like`, each row whole; a vector in those of its rows."""
    import dask.array as da

    x = read(x)
    if not is_spread(x):
        x = da.from_array(np.asarray(to_numpy(x) if is_array(x) else x))
    if any(np.isnan(size) for size in x.chunks[0]):
        x = x.compute_chunk_sizes()
    return x.rechunk((like.chunks[0] if is_spread(like) else x.chunks[0], *((-1,) * (x.ndim - 1))))


def evaluated(*arrays: Array) -> tuple[Array, ...]:
    """The same arrays; spread ones are computed where they lie, all in one go, and kept there."""
    if not any(is_spread(x) for x in arrays):
        return arrays
    import dask

    client = running_client()
    found: tuple[Array, ...] = dask.persist(*arrays) if client is None else tuple(client.persist(arrays))
    return found


def numbers(*values: Array) -> list[float]:
    """Arrays of one number as numbers, in one wait for all of them."""
    if any(is_spread(x) for x in values):
        import dask

        values = dask.compute(*values)
    if values and is_foreign(values[0]):
        # On a device one wait for all of them.
        return [float(x) for x in to_numpy(namespace(values[0]).stack(values))]
    return [float(x) for x in values]


def products(*pairs: tuple[Array, Array]) -> list[float]:
    """<A, B> for each pair, in one wait for all of them."""
    if not is_spread(pairs[0][0]):
        return numbers(*(total(A, B) for A, B in pairs))
    arrays = list({id(x): x for pair in pairs for x in pair}.values())
    place = {id(x): k for k, x in enumerate(arrays)}
    found: list[float] = summed(_Products([(place[id(A)], place[id(B)]) for A, B in pairs]), *arrays).tolist()
    return found


class _Products:
    """Blocks -> the inner products of those at these pairs of places."""

    def __init__(self, places: list[tuple[int, int]]):
        self.places = places

    def __call__(self, *blocks: Array) -> Array:
        return np.array([total(blocks[i], blocks[j]) for i, j in self.places])


def at_client(T: Array) -> Array:
    """A row of zeros at the client, as wide as T."""
    return np.zeros((1, int(T.shape[1])))


def room() -> float:
    """Bytes of memory that the workers have, or this machine where it does the work."""
    client = running_client()
    if client is None:
        return float(available())
    return float(sum(worker["memory_limit"] for worker in client.scheduler_info(n_workers=-1)["workers"].values()))


def sample_of(X: Array, rows: Any) -> Array:
    """Some of the rows, at the client."""
    return to_numpy(X[rows])


def true_places(mask: Array) -> Array:
    """Where a vector of truth values is true; of one on a cluster the places stay there."""
    places = namespace(mask).nonzero(mask)[0]
    return evaluated(places)[0].compute_chunk_sizes() if is_spread(mask) else places


def largest(values: Array, most: int) -> tuple[Array, Array]:
    """(places, values) of the largest, in falling order: so many of each block come to the client."""
    starts = np.concatenate([[0], np.cumsum(values.chunks[0])])
    parts = of_blocks(partial(_largest, most), values)
    places = np.concatenate([start + part for start, (part, _) in zip(starts, parts, strict=False)])
    found = np.concatenate([part for _, part in parts])
    order = np.argsort(-found, kind="stable")[:most]
    return places[order], found[order]


def _largest(most: int, values: Array) -> tuple[Array, Array]:
    order = np.argsort(-values, kind="stable")[:most]
    return order, values[order]


def placed(values: Array, rows: Array, like: Array) -> Array:
    """Rows of zeros in the blocks of `like`, but for those at these places, which are in order."""
    import dask.array as da

    starts = np.concatenate([[0], np.cumsum(like.chunks[0])])
    found = []
    for start, stop in pairwise(starts):
        first, last = np.searchsorted(rows, [start, stop])
        part = (rows[first:last] - start, values[first:last])
        block = da.from_delayed(_delayed(_block)(int(stop - start), *part), (stop - start, values.shape[1]), float)
        found.append(block)
    return da.concatenate(found)


def _block(size: int, places: Array, values: Array) -> Array:
    block = np.zeros((size, values.shape[1]))
    block[places] = values
    return block


def by_blocks(act: Callable[..., Array], *arrays: Array, columns: int | None = None, dtype: Any = float) -> Array:
    """act(blocks of rows) for arrays with the same blocks, as one array; `columns` None stands for vectors."""
    rows, name, tail = arrays[0].chunks[0], _name("rows"), () if columns is None else (0,)
    tasks = {(name, i, *tail): task for i, task in enumerate(_tasks(act, arrays))}
    return _array(name, tasks, arrays, (rows, *(() if columns is None else ((columns,),))), dtype)


def _tasks(act: Callable[..., Any], arrays: Sequence[Array]) -> list[Any]:
    """act of each block of rows."""
    return [(act, *((x.name, i, *(0,) * (x.ndim - 1)) for x in arrays)) for i in range(len(arrays[0].chunks[0]))]


def _name(kind: str) -> str:
    # To make a name from what `act` holds, as Dask does, takes longer than the rest.
    return f"{kind}-{uuid4().hex}"


def _array(name: str, tasks: dict[Any, Any], arrays: Sequence[Array], chunks: Any, dtype: Any) -> Array:
    """An array of blocks that these tasks make: one layer, where Dask's own ways make many."""
    import dask.array as da
    from dask.highlevelgraph import HighLevelGraph

    graph = HighLevelGraph.from_collections(name, tasks, dependencies=arrays)
    return da.Array(graph, name, chunks, meta=np.empty((0,) * len(chunks), dtype))


def block_by_block(act: Callable[[Array], Array], X: Array) -> Array:
    """act(blocks of rows) as one array, computed when it is asked for; a row of zeros tells its width."""
    one = act(np.zeros((1, int(X.shape[1]))))
    return by_blocks(act, aligned(X, X), columns=int(one.shape[1]) if one.ndim == 2 else None, dtype=one.dtype)


def summed(act: Callable[..., Any], *arrays: Array) -> Any:
    """The sum of act(blocks of rows), at the client; the blocks stay where they are."""
    return _sum(_boxed, act, arrays, ((1,),), object).compute()[0]


def of_blocks(act: Callable[[Array], Any], X: Array) -> list[Any]:
    """act(each block of rows), at the client."""
    name = _name("told")
    tasks = {(name, i): (_boxed, task) for i, task in enumerate(_tasks(act, [X]))}
    return list(_array(name, tasks, [X], ((1,) * len(tasks),), object).compute())


def of_sum(then: Callable[..., Any], act: Callable[..., Any], *arrays: Array, shape: tuple[int, ...] = ()) -> Array:
    """then(*the sum of act(blocks of rows)), one number or an array of this shape, computed when it is asked for."""
    return _sum(partial(_then, then), act, arrays, tuple((size,) for size in shape), float)


def _then(then: Callable[..., Any], values: Any) -> Any:
    return np.asarray(then(*values))


def _boxed(value: Any) -> Array:
    box = np.empty(1, dtype=object)
    box[0] = value
    return box


def _sum(then: Callable[..., Any], act: Callable[..., Any], arrays: Sequence[Array], chunks: Any, dtype: Any) -> Array:
    """then(the sum of act(blocks of rows)) as an array of one block, added up by a few at a time."""
    name, tasks = _name("sum"), _tasks(act, arrays)
    graph, level = {(f"{name}-0", i): task for i, task in enumerate(tasks)}, 0
    while len(tasks) > 1:
        tasks = [(added, [(f"{name}-{level}", i) for i in range(k, min(k + FAN, len(tasks)))])
                 for k in range(0, len(tasks), FAN)]  # fmt: skip
        level += 1
        graph |= {(f"{name}-{level}", i): task for i, task in enumerate(tasks)}
    return _array(name, graph | {(name, *(0 for _ in chunks)): (then, (f"{name}-{level}", 0))}, arrays, chunks, dtype)


# Sums that are added up at once: what a worker receives for one of them.
FAN = 8


def added(parts: Sequence[Any]) -> Any:
    """The sum; of tuples that of each place."""
    if isinstance(parts[0], tuple):
        return tuple(map(added, zip(*parts, strict=True)))
    return sum(parts[1:], parts[0])


def _delayed(act: Callable[..., Any]) -> Any:
    from dask import delayed

    return delayed(act, pure=False)
