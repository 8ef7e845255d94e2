"""`ostinato completion`: scripts with which a shell completes commands, options and the values they take."""

import argparse
from collections.abc import Callable, Iterator, Mapping
from typing import Final, NamedTuple

from ostinato._core import schema_names

__all__ = ["add_parser", "run"]

OK = 0

EPILOG = """\
examples:
  ostinato completion bash > ~/.local/share/bash-completion/completions/ostinato
  ostinato completion zsh > ~/.zfunc/_ostinato
  ostinato completion fish > ~/.config/fish/completions/ostinato.fish

A new shell knows it; zsh wants `fpath=(~/.zfunc $fpath)` before `compinit` in
~/.zshrc.
"""


class _Command(NamedTuple):
    """A command as a shell completes it."""

    words: str
    """`measure`, `sessions list`."""
    about: str
    options: Mapping[str, str]
    """Each option with its help."""
    values: Mapping[str, tuple[str, ...]]
    """What options take: words, or none where it is a name of a file, or anything."""
    operands: tuple[str, ...]
    """Words that it takes besides options; none where it takes names of files."""


# Words that a command takes and argparse does not check.
_OPERANDS: Final[Mapping[str, Callable[[], list[str]]]] = {"schema": schema_names}


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
    print(SHELLS[args.shell](list(_commands(args.subparsers))), end="")
    return OK


def _commands(
    subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]", before: str = ""
) -> Iterator[_Command]:
    """Every command, and every action of one that has actions."""
    about = {action.dest: action.help or "" for action in subparsers._get_subactions()}  # noqa: SLF001 - argparse has no other way
    for name, parser in subparsers.choices.items():
        actions = parser._actions  # noqa: SLF001 - argparse has no other way
        inner = next((each for each in actions if isinstance(each, argparse._SubParsersAction)), None)  # noqa: SLF001
        operands = [str(word) for each in actions if not each.option_strings for word in each.choices or ()]
        words = f"{before}{name}"
        yield _Command(
            words,
            about[name],
            {option: each.help or "" for each in actions for option in each.option_strings},
            {
                option: tuple(map(str, each.choices or ()))
                for each in actions
                if each.nargs != 0
                for option in each.option_strings
            },
            tuple(operands or (_OPERANDS[words]() if words in _OPERANDS else ())),
        )
        if inner is not None:
            yield from _commands(inner, f"{words} ")


def _bash(commands: list[_Command]) -> str:
    top = " ".join(command.words for command in commands if " " not in command.words)
    return f"""\
_ostinato() {{
  local current=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}}
  local command=${{COMP_WORDS[1]}} action=${{COMP_WORDS[2]}} options= operands=
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W '{top} --help --version' -- "$current"))
    return
  fi
  [ "$COMP_CWORD" -gt 2 ] || action=
  case "$command $action $before" in
{_bash_values(commands)}  esac
  case "$command $action" in
{_bash_words(commands)}  esac
  case $current in
    -*) COMPREPLY=($(compgen -W "$options" -- "$current")) ;;
    *) COMPREPLY=($(compgen -W "$operands" -- "$current")) ;;
  esac
}}
complete -o default -F _ostinato ostinato
"""


def _bash_values(commands: list[_Command]) -> str:
    """After an option that takes something: its words, or the files that bash offers where there is no word."""
    return "".join(
        f"    '{command.words} '*' {option}') "
        f"COMPREPLY=($(compgen -W '{' '.join(words)}' -- \"$current\")); return ;;\n"
        for command in reversed(commands)
        for option, words in command.values.items()
    )


def _bash_words(commands: list[_Command]) -> str:
    """Actions stand before the command that has them: the first row that fits is taken."""

    def row(command: _Command) -> str:
        place = f"'{command.words}'" if " " in command.words else f"'{command.words} '*"
        words = f"options='{' '.join(command.options)}' operands='{' '.join(command.operands)}'"
        return f"    {place}) {words} ;;\n"

    return "".join(map(row, reversed(commands)))


def _zsh(commands: list[_Command]) -> str:
    def quoted(text: str) -> str:
        return text.replace("'", "").replace("[", "(").replace("]", ")").replace(":", " -")

    def argument(command: _Command, option: str) -> str:
        if option not in command.values:
            return ""
        words = " ".join(command.values[option])
        return f":value:({words})" if words else ":value:_files"

    def row(command: _Command) -> str:
        options = " ".join(
            f"'{option}[{quoted(about)}]{argument(command, option)}'" for option, about in command.options.items()
        )
        operands = f"'*:word:({' '.join(command.operands)})'" if command.operands else "'*:file:_files'"
        return f"    '{command.words}') _arguments {options} {operands} ;;\n"

    described = "".join(
        f"    '{command.words}:{quoted(command.about)}'\n" for command in commands if " " not in command.words
    )
    parents = " ".join(sorted({command.words.partition(" ")[0] for command in commands if " " in command.words}))
    return f"""\
#compdef ostinato
_ostinato() {{
  local -a commands=(
{described}  )
  if (( CURRENT == 2 )); then
    _describe command commands
    return
  fi
  local command=$words[2]
  shift words; (( CURRENT-- ))
  if (( CURRENT > 2 )) && [[ " {parents} " == *" $command "* ]]; then
    command="$command $words[2]"
    shift words; (( CURRENT-- ))
  fi
  case $command in
{"".join(map(row, commands))}  esac
}}
_ostinato "$@"
"""


def _fish(commands: list[_Command]) -> str:
    def quoted(text: str) -> str:
        return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"

    def flag(option: str) -> str:
        return f"-l {option[2:]}" if option.startswith("--") else f"-s {option[1:]}"

    def value(command: _Command, option: str) -> str:
        if option not in command.values:
            return ""
        words = command.values[option]
        return f" -x -a {quoted(' '.join(words))}" if words else " -r"

    lines: list[str] = []
    for command in commands:
        parent, _, action = command.words.rpartition(" ")
        place = f"'__fish_seen_subcommand_from {parent}'" if parent else "__fish_use_subcommand"
        lines.append(f"complete -c ostinato -n {place} -f -a {action} -d {quoted(command.about)}")
        seen = "; and ".join(f"__fish_seen_subcommand_from {word}" for word in command.words.split())
        lines += [
            f"complete -c ostinato -n '{seen}' {flag(option)}{value(command, option)} -d {quoted(about)}"
            for option, about in command.options.items()
        ]
        if command.operands and command.words not in {
            each.words.partition(" ")[0] for each in commands if " " in each.words
        }:
            lines.append(f"complete -c ostinato -n '{seen}' -f -a {quoted(' '.join(command.operands))}")
    return "\n".join(lines) + "\n"


SHELLS: Mapping[str, Callable[[list[_Command]], str]] = {"bash": _bash, "fish": _fish, "zsh": _zsh}
