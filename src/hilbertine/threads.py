"""The same work on block after block, as many at once as the linear algebra may have threads."""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from itertools import islice
from typing import Any, TypeVar

from threadpoolctl import ThreadpoolController

from .arrays import beside

Result = TypeVar("Result")
# Results that wait for those before them, for each thread: what is large is not piled up.
AHEAD = 4


@cache
def _controller() -> Any:
    return ThreadpoolController()


def threads() -> int:
    """How many threads the linear algebra has now."""
    return max((library["num_threads"] for library in _controller().select(user_api="blas").info()), default=1)


def _begin() -> None:
    beside.others = True


def each(act: Callable[[Any], Result], parts: Sequence[Any], alone: bool = False) -> Iterator[Result]:
    """act(part) for every part, in order; the sum of what comes does not depend on the number of threads.

    Work that has threads of its own, on a device for instance, is better left `alone`.
    """
    workers = 1 if alone else min(threads(), len(parts))
    if workers <= 1:
        yield from map(act, parts)
        return
    # One thread in each worker, instead of all of them in each small product.
    with _controller().limit(limits=1, user_api="blas"), ThreadPoolExecutor(workers, initializer=_begin) as pool:
        left = iter(parts)
        waiting = [pool.submit(act, part) for part in islice(left, AHEAD * workers)]
        while waiting:
            done = waiting.pop(0).result()
            waiting += [pool.submit(act, part) for part in islice(left, 1)]
            yield done
