"""Write docs/command_line.md, every command and option of the command line, from what `--help` says.

Run it after a change of a command or an option; with --check it only compares.
"""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path
from typing import Any

from typer.main import get_command

from treewright.cli.app import app

TARGET = Path(__file__).with_name("command_line.md")
GROUPS = {
    "To begin with": "demo networks doctor",
    "Rows": "inspect pack",
    "Learning": "learn cross-validate",
    "Questions": "query marginals mpe effect predict score sample",
    "Models": "compare verify convert explore report",
}
PANELS = ("Asked and written", "Data", "How to run", "How to answer")
SEVERAL = 3  # an option of so many commands is described once, behind all of them

HEAD = """# The command line

*How do I do it without Python?*

Rows go in, a model comes out, and the model is asked. Rows are CSV or Parquet files, several with the same
columns, a quoted pattern such as `'runs/*.csv'`, a table of a database (`clinic.duckdb::visits`,
`postgresql://host/clinic::visits`), or `-` for standard input. A model is a file, or the name of a
[network](catalogue.md) that comes with the package. `--help` behind a command says what stands here, and
`treewright --install-completion` has the shell complete it.

{epilog}

This page is made by `python docs/make_command_line.py`.
"""


def page() -> str:
    """The whole page."""
    door: Any = get_command(app)
    users: dict[tuple[str, str], list[str]] = {}
    for name, command in door.commands.items():
        for option in options_of(command):
            users.setdefault(key_of(option), []).append(name)
    shared = {key for key, names in users.items() if len(names) >= SEVERAL}
    left = set(door.commands) - set(" ".join(GROUPS.values()).split())
    assert not left, f"{left} belong to no group of docs/make_command_line.py"
    parts = [HEAD.format(epilog=epilog())]
    for title, names in GROUPS.items():
        parts.append(f"## {title}\n")
        parts += [section(name, door.commands[name], shared) for name in names.split()]
    parts.append("## Options of several commands\n")
    parts.append(shared_options(door.commands, users, shared))
    return "\n".join(parts)


def epilog() -> str:
    assert app.registered_callback is not None
    return marked(str(app.registered_callback.epilog))


def options_of(command: Any) -> list[Any]:
    return [one for one in command.params if one.param_type_name == "option"]


def key_of(option: Any) -> tuple[str, str]:
    return option.opts[0], option.help or ""


def section(name: str, command: Any, shared: set[tuple[str, str]]) -> str:
    """A command: what it does, an example, and its own options."""
    said, _, example = command.help.partition("Example: ")
    parts = [f"### treewright {name}", unwrapped(said), f"```sh\n{example.strip()}\n```"]
    context = command.make_context(name, [], resilient_parsing=True)
    own = [one for one in options_of(command) if key_of(one) not in shared]
    parts += ["\n".join(line_of(option, context) for option in own)] if own else []
    return "\n\n".join(parts) + "\n"


def unwrapped(text: str) -> str:
    """A line for each paragraph, and for each line behind one that ends in a colon."""
    paragraphs = []
    for paragraph in marked(text).strip().split("\n\n"):
        before, colon, items = paragraph.partition(":\n")
        lines = [" ".join(before.split()) + colon.strip()]
        paragraphs.append(
            "\n".join([*lines, "", *(f"- {item.strip()}" for item in items.splitlines())]).strip()
        )
    return "\n\n".join(paragraphs)


def marked(text: str) -> str:
    """With options and JSON as code; what is code already stays."""
    parts = re.split(r"(`[^`]*`)", text)
    return "".join(
        part
        if part.startswith("`")
        else re.sub(r"(?<![\w-])(--[a-z][a-z-]*(?: [,a-z](?=\)))?|\{.*\})", r"`\1`", part)
        for part in parts
    )


def line_of(option: Any, context: Any) -> str:
    long, *short = option.opts
    value = "" if option.is_flag else f" {str(option.display_type_rich(context)).strip('<>')}"
    also = "".join(f", `{one}`" for one in short)
    return f"- `{long}{value}`{also}: {marked(option.help)}"


def shared_options(
    commands: dict[str, Any], users: dict[tuple[str, str], list[str]], shared: set[tuple[str, str]]
) -> str:
    """By panel of the help, and there by the commands that have them."""
    found: dict[str, dict[str, list[str]]] = {panel: {} for panel in PANELS}
    told: set[tuple[str, str]] = set()
    for name, command in commands.items():
        context = command.make_context(name, [], resilient_parsing=True)
        for option in options_of(command):
            key = key_of(option)
            if key in shared - told:
                told.add(key)
                everybody = len(users[key]) == len(commands)
                who = "every command" if everybody else ", ".join(f"`{one}`" for one in users[key])
                panel = option.rich_help_panel or PANELS[0]
                found[panel].setdefault(who, []).append(line_of(option, context))
    parts = []
    for panel, groups in found.items():
        parts.append(f"### {panel}")
        for who, lines in groups.items():
            parts += [f"Of {who}:", "\n".join(lines)]
    return "\n\n".join(parts) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="only say whether it is up to date")
    if not parser.parse_args().check:
        TARGET.write_text(page(), encoding="utf-8")
    elif not TARGET.exists() or TARGET.read_text(encoding="utf-8") != page():
        sys.exit(f"{TARGET.name} is behind the code; run: python docs/make_command_line.py")


if __name__ == "__main__":
    main()
