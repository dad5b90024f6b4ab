"""How to wait for a cluster: every wait has an end, and an error that names what died."""

import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any

from joblib import parallel_config
from sklearn.utils.parallel import Parallel

# Seconds without any worker, or without a scheduler, after which nobody is waited for any longer.
PATIENCE = 60.0
# Seconds between two looks at the cluster.
LOOK = 2.0


def running_client() -> Any:
    """The client of the cluster that computations go to, or None where Dask's default scheduler does them."""
    # Who has a client has imported it; nobody else pays for the import, or needs the package.
    if sys.modules.get("distributed") is None:
        return None
    from distributed import get_client

    try:
        return get_client(timeout=LOOK)
    except ValueError:
        return None


@contextmanager
def waiting() -> Iterator[None]:
    """Within it what is computed on a cluster is waited for as `waited` does."""
    client = running_client()
    if client is None:
        yield
        return
    import dask

    with dask.config.set(scheduler=lambda graph, keys, **settings: _computed(client, graph, keys)):
        yield


def on_cluster(jobs: int | None) -> AbstractContextManager[Any]:
    """Within it jobs of joblib are tasks of the client's cluster, where there is one and several are asked for."""
    # A worker that dies with a task is not missed: the scheduler gives it to another.
    return nullcontext() if jobs in (None, 1) or running_client() is None else parallel_config("dask")


def at_once(calls: Iterable[Any], jobs: int | None) -> Iterator[Any]:
    """What `delayed` calls return, in their order, so many computed at once."""
    found: Iterator[Any] = Parallel(n_jobs=jobs, return_as="generator")(calls)
    return found


def _computed(client: Any, graph: Any, keys: Any) -> Any:
    futures = client.get(graph, keys, sync=False)
    return waited(client, futures)


def waited(client: Any, futures: Any) -> Any:
    """The results, or an error that says what died; workers that come back in time are not missed."""
    from distributed import TimeoutError as Late
    from distributed import futures_of, wait
    from distributed.scheduler import KilledWorker

    left, seen = futures_of(futures), time.monotonic()
    while True:
        try:
            wait(left, timeout=LOOK)
            return client.gather(futures)
        except (Late, TimeoutError):
            pass
        except KilledWorker as error:
            raise RuntimeError(
                f"Workers died again and again at one piece of the work, the last one {error.last_worker}. Most often "
                "they had too little memory: give them more, or make the blocks of rows smaller (X.rechunk)."
            ) from error
        seen = time.monotonic() if alive(client) else seen
        if time.monotonic() - seen > PATIENCE:
            client.cancel(left, force=True)
            raise RuntimeError(
                f"The cluster at {address(client)} has had no worker for {PATIENCE:.0f} s, or its scheduler died. "
                "Start it again and fit again; with checkpoint=PATH the fit goes on from the last step kept."
            )


def alive(client: Any) -> bool:
    """Whether there is a scheduler, and a worker."""
    if client.status != "running":
        return False
    try:
        return bool(client.nthreads())
    except Exception:
        # Whatever a lost connection raises.
        return False


def address(client: Any) -> str:
    """Where the scheduler is, or was."""
    return str(getattr(client.scheduler, "address", "an unknown address"))
