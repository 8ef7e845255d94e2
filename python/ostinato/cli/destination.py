"""Options that say where a session would be resumed: the same for every command that asks."""

import argparse

from ostinato.errors import ReplayError
from ostinato.policy import PROFILES, Target, profile

__all__ = ["add_destination", "destination"]


def add_destination(parser: argparse.ArgumentParser) -> None:
    """Add the options to a command."""
    group = parser.add_argument_group("where it would be resumed (without --target: where it came from)")
    group.add_argument(
        "--target", metavar="NAME", choices=sorted(PROFILES), help=f"one of {', '.join(sorted(PROFILES))}"
    )
    group.add_argument("--model", metavar="ID", help="the model; not compared if missing")
    group.add_argument("--endpoint", metavar="URL", help="the endpoint; the target's own if missing")
    group.add_argument(
        "--account", metavar="NAME", help="the account, as the session names it; not compared if missing"
    )


def destination(args: argparse.Namespace) -> Target | None:
    """The target that the options name; None for where a session came from.

    Raises:
        ReplayError: `unknown_profile`: a part of a target without its name.
    """
    if args.target is None:
        if args.model or args.endpoint or args.account:
            raise ReplayError("unknown_profile")
        return None
    return Target(profile=profile(args.target), model=args.model, endpoint=args.endpoint, account=args.account)
