"""What a fit says on stderr while it goes on: a bar where rich draws one, lines elsewhere, nothing unless asked."""

import math
import sys
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from typing import Any

# (part done, words)
Show = Callable[[float, str], Any]
# Seconds between two lines.
PAUSE = 1.0
# How many of the last gaps say how fast it falls.
RECENT = 6


@contextmanager
def followed(model: Any, height: str = "gap", goal: str = "tol") -> Iterator[Any]:
    """The callback of a fit: the model's own, and where it is verbose a bar beside it, closed whatever happens."""
    if not model.verbose:
        yield model.callback
        return
    with shown(type(model).__name__) as show:
        yield Falling(show, model.callback, height, getattr(model, goal))


@contextmanager
def counted(model: Any, total: int, callback: Any = None) -> Iterator[Callable[[int], Any]]:
    """What hears of so many fits more of a search that takes `total`; a callback is told (done, total)."""
    bar = shown(type(model).__name__) if model.verbose else nullcontext(lambda part, words: None)
    with bar as show, model._now.below("search", total) as task:
        done, start = 0, time.perf_counter()

        def tick(more: int) -> None:
            nonlocal done
            done += more
            left = (time.perf_counter() - start) / done * (total - done)
            show(done / total, f"{done} of {total} fits{in_words(left) if done < total else ''}")
            for _ in range(more if task.heard else 0):
                task.step()
            if callback is not None:
                callback(done, total)

        yield tick


@contextmanager
def shown(title: str) -> Iterator[Show]:
    """A bar or lines, whose last one stays."""
    console = _terminal()
    with _bar(console, title) if console else _lines(title) as show:
        yield show


class Falling:
    """A callback that shows a positive number on its way down to its goal.

    It hears of guesses between certificates too, by `estimate`; the callback of the user does not.

    Parameters
    ----------
    show : callable
        Told (part done, words).
    callback : callable or None
        Called with what this is called with.
    height : str
        The name of the number.
    goal : float
        Where it goes.
    clock : callable, default=time.perf_counter
        What time it is.
    """

    def __init__(
        self, show: Show, callback: Any, height: str, goal: float, clock: Callable[[], float] = time.perf_counter
    ):
        self.show, self.callback = show, callback
        self.height, self.goal, self.clock = height, max(goal, 1e-300), clock
        self.first = self.lowest = math.inf
        self.recent: deque[tuple[float, float]] = deque(maxlen=RECENT)

    def __call__(self, told: Any) -> Any:
        """Show it and pass it on.

        Parameters
        ----------
        told : Progress or Iterate
            What has been reached.
        """
        self.estimate(told)
        return None if self.callback is None else self.callback(told)

    def estimate(self, told: Any) -> None:
        """Show it.

        Parameters
        ----------
        told : Progress or Iterate
            What has been reached, or seems to be.
        """
        value = getattr(told, self.height)
        if 0 < value < math.inf:
            self.first = value if self.first == math.inf else self.first
            self.lowest = min(self.lowest, value)
            self.recent.append((self.clock(), math.log(self.lowest)))
        self.show(self.part(), f"step {told.n_iter}, {self.height} {value:.1e} of {self.goal:.0e}{self._left()}")

    def part(self) -> float:
        """How much of the way is done, in digits."""
        whole = math.log(self.first / self.goal) if self.first < math.inf else math.inf
        return 1.0 if whole <= 0 else min(max(math.log(self.first / self.lowest) / whole, 0.0), 1.0)

    def seconds_left(self) -> float | None:
        """By how fast it has fallen of late; None where that is not known."""
        (then, high), (now, low) = (self.recent[0], self.recent[-1]) if self.recent else ((0.0, 0.0), (0.0, 0.0))
        return (now - then) * max(low - math.log(self.goal), 0.0) / (high - low) if high > low else None

    def _left(self) -> str:
        left = self.seconds_left()
        return "" if left is None or self.lowest <= self.goal else in_words(left)


def in_words(seconds: float) -> str:
    """The time that is left, as the end of a line."""
    return f", {seconds:.0f} s left" if seconds < 120 else f", {seconds / 60:.0f} min left"


def _terminal() -> Any:
    """rich's console on stderr, where rich is there and draws on it."""
    try:
        from rich.console import Console
    except ImportError:
        return None
    console = Console(stderr=True)
    return console if console.is_terminal or console.is_jupyter else None


@contextmanager
def _bar(console: Any, title: str) -> Iterator[Show]:
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn(title), BarColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    with Progress(*columns, console=console) as bar:
        task = bar.add_task("", total=1.0)
        yield lambda part, words: bar.update(task, completed=part, description=words)


@contextmanager
def _lines(title: str) -> Iterator[Show]:
    """A line a second at most, and the last one with the time that all took."""
    start, last, waiting = time.perf_counter(), -math.inf, ""

    def show(part: float, words: str) -> None:
        nonlocal last, waiting
        now, waiting = time.perf_counter(), words
        if now - last >= PAUSE:
            print(f"{title}: {words}", file=sys.stderr, flush=True)
            last, waiting = now, ""

    try:
        yield show
    finally:
        words = waiting or "done"
        print(f"{title}: {words}, after {time.perf_counter() - start:.1f} s", file=sys.stderr, flush=True)
