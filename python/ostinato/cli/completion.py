"""`ostinato completion`: scripts with which a shell completes commands and options."""

import argparse
from collections.abc import Callable, Mapping

__all__ = ["add_parser", "run"]

OK = 0

EPILOG = """\
examples:
  ostinato completion bash > ~/.local/share/bash-completion/completions/ostinato
  ostinato completion zsh > ~/.zfunc/_ostinato
  ostinato completion fish > ~/.config/fish/completions/ostinato.fish
"""

# Commands by name: what each does, and its options with their help.
_Tree = dict[str, tuple[str, dict[str, str]]]


def add_parser(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the command to the command line."""
    parser = subparsers.add_parser(
        "completion",
        help="print a script with which a shell completes this command line",
        description="Print a completion script.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("shell", choices=sorted(SHELLS))
    parser.set_defaults(run=run, subparsers=subparsers)


def run(args: argparse.Namespace) -> int:
    """Print the script of a shell."""
    print(SHELLS[args.shell](_tree(args.subparsers)), end="")
    return OK


def _tree(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> _Tree:
    about = {action.dest: action.help or "" for action in subparsers._get_subactions()}  # noqa: SLF001 - argparse has no other way
    return {name: (about[name], _options(parser)) for name, parser in subparsers.choices.items()}


def _options(parser: argparse.ArgumentParser) -> dict[str, str]:
    actions = parser._actions  # noqa: SLF001 - argparse has no other way
    return {
        option: action.help or "" for action in actions for option in action.option_strings if option.startswith("--")
    }


def _bash(tree: _Tree) -> str:
    cases = "".join(f"    {name}) words='{' '.join(options)}' ;;\n" for name, (_, options) in tree.items())
    return f"""\
_ostinato() {{
  local current=${{COMP_WORDS[COMP_CWORD]}} words=
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W '{" ".join(tree)} --help --version' -- "$current"))
    return
  fi
  case ${{COMP_WORDS[1]}} in
{cases}  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}}
complete -o default -F _ostinato ostinato
"""


def _zsh(tree: _Tree) -> str:
    def quoted(text: str) -> str:
        return text.replace("'", "").replace("[", "(").replace("]", ")").replace(":", " -")

    commands = "".join(f"    '{name}:{quoted(about)}'\n" for name, (about, _) in tree.items())
    cases = "".join(
        f"    {name}) _arguments "
        + " ".join(f"'{option}[{quoted(about)}]'" for option, about in options.items())
        + " '*:file:_files' ;;\n"
        for name, (_, options) in tree.items()
    )
    return f"""\
#compdef ostinato
_ostinato() {{
  local -a commands=(
{commands}  )
  if (( CURRENT == 2 )); then
    _describe command commands
    return
  fi
  local command=$words[2]
  shift words; (( CURRENT-- ))
  case $command in
{cases}  esac
}}
_ostinato "$@"
"""


def _fish(tree: _Tree) -> str:
    def quoted(text: str) -> str:
        return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"

    lines = [
        f"complete -c ostinato -n __fish_use_subcommand -f -a {name} -d {quoted(about)}"
        for name, (about, _) in tree.items()
    ]
    lines += [
        f"complete -c ostinato -n '__fish_seen_subcommand_from {name}' -l {option[2:]} -d {quoted(about)}"
        for name, (_, options) in tree.items()
        for option, about in options.items()
    ]
    return "\n".join(lines) + "\n"


SHELLS: Mapping[str, Callable[[_Tree], str]] = {"bash": _bash, "fish": _fish, "zsh": _zsh}
