"""Exceptions that leave a function without the values it worked on.

A traceback holds the frames it went through, and a frame holds every local variable: crash reporters, `rich`,
`pytest --showlocals` and `traceback` with `capture_locals` show them all. So what is public here is discreet: an error
that leaves it keeps its place, its type and its text; the frames below are emptied, and an exception behind it that
quotes state is cut off.
"""

import inspect
import sys
import traceback
from collections.abc import AsyncGenerator, Callable, Generator
from functools import wraps
from typing import Any, Final, ParamSpec, TypeVar, cast

from ostinato._core import redact_text

__all__ = ["discreet"]

P = ParamSpec("P")
R = TypeVar("R")


def discreet(function: Callable[P, R]) -> Callable[P, R]:
    """The function, whose exceptions show no values. For functions, coroutine functions and generators of both kinds.

    Of what it was raised from, the exception that was being handled when the call began is the caller's own, and stays.
    """
    for asks, wrap in _KINDS:
        if asks(function):
            return cast("Callable[P, R]", wrap(function))

    @wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        outer = sys.exception()
        try:
            return function(*args, **kwargs)
        except BaseException as error:
            _keep_quiet(error, outer)
            del args, kwargs, outer  # this frame is still running, and cannot be emptied
            raise

    return call


def _coroutine(function: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(function)
    async def call(*args: Any, **kwargs: Any) -> Any:  # noqa: ANN401 - as the function has it
        outer = sys.exception()
        try:
            return await function(*args, **kwargs)
        except BaseException as error:
            _keep_quiet(error, outer)
            del args, kwargs, outer
            raise

    return call


def _iterator(function: Callable[..., Generator[Any, Any, Any]]) -> Callable[..., Generator[Any, Any, Any]]:
    @wraps(function)
    def call(*args: Any, **kwargs: Any) -> Generator[Any, Any, Any]:  # noqa: ANN401 - as the function has it
        return _discreet_iterator(function(*args, **kwargs))

    return call


def _discreet_iterator(source: Generator[Any, Any, Any]) -> Generator[Any, Any, Any]:
    outer = sys.exception()
    try:
        yield from source
    except BaseException as error:
        _keep_quiet(error, outer)
        del outer
        raise


def _generator(function: Callable[..., AsyncGenerator[Any]]) -> Callable[..., AsyncGenerator[Any]]:
    @wraps(function)
    def call(*args: Any, **kwargs: Any) -> AsyncGenerator[Any]:  # noqa: ANN401 - as the function has it
        return _discreet_generator(function(*args, **kwargs))

    return call


async def _discreet_generator(source: AsyncGenerator[Any]) -> AsyncGenerator[Any]:
    outer = sys.exception()
    try:
        while True:
            try:
                yield await anext(source)  # no variable keeps what was given out
            except StopAsyncIteration:
                return
    except BaseException as error:
        _keep_quiet(error, outer)
        del outer
        raise
    finally:
        await source.aclose()


_KINDS: Final[tuple[tuple[Callable[[Any], bool], Callable[[Any], Any]], ...]] = (
    (inspect.isasyncgenfunction, _generator),
    (inspect.iscoroutinefunction, _coroutine),
    (inspect.isgeneratorfunction, _iterator),
)


def _keep_quiet(error: BaseException, outer: BaseException | None) -> None:
    """Empty the frames of an exception and of those it came from, and cut off those that quote state."""
    seen = set() if outer is None else {id(outer)}
    left = [error]
    while left:
        current = left.pop()
        seen.add(id(current))
        traceback.clear_frames(current.__traceback__)
        for name in ("__cause__", "__context__"):
            linked = getattr(current, name)
            if linked is None or id(linked) in seen:
                continue
            if _quotes_state(linked):
                setattr(current, name, None)
            else:
                left.append(linked)
        if isinstance(current, BaseExceptionGroup):
            left += [inner for inner in current.exceptions if id(inner) not in seen]


def _quotes_state(error: BaseException) -> bool:
    """Whether an exception holds state in its text or in its attributes, as those of provider libraries do."""
    try:
        text = f"{error}\n{error!r}\n{vars(error)!r}".encode("utf-8", "surrogatepass")
    except Exception:  # noqa: BLE001 - foreign code; what cannot be read cannot be trusted
        return True
    return redact_text(text, reasoning_text=False)[0] != text
