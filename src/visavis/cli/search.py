"""``visavis search``."""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import shorten
from typing import TYPE_CHECKING, Annotated

import typer
from rich.markup import escape
from typer import Argument, Option

from visavis.cli.output import CollectionOption, HomeOption, JsonOption, fields_told, print_json, stderr, stdout
from visavis.errors import BadInputError

if TYPE_CHECKING:
    from visavis.api import SearchResults


#: Letters of a caption that are shown; ``--json`` has all of it.
_LONGEST_CAPTION = 500


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(search)


def search(
    collection: CollectionOption,
    text: Annotated[str, Argument(help="What the picture shows.")] = "",
    k: Annotated[int, Option("-k", min=1, max=10_000, help="How many results at most.")] = 20,
    like: Annotated[list[str] | None, Option(help="A picture it resembles: a path or an id.")] = None,
    avoid: Annotated[list[str] | None, Option("--not", help="What it must not show.")] = None,
    filter: Annotated[str, Option(help="Conditions on attributes, such as: price < 50 and colour = red")] = "",
    sort: Annotated[str, Option(help="The order of what matches: price asc, brightness desc, ...")] = "",
    with_edits: Annotated[bool, Option("--with-edits", help="Show edited pictures too.")] = False,
    all_copies: Annotated[bool, Option("--all-copies", help="Show near-duplicates one by one.")] = False,
    nearest: Annotated[bool, Option("--nearest", hidden=True)] = False,  # noqa: ARG001  # the nearest always come
    json: JsonOption = False,
    home: HomeOption = None,
) -> None:
    """Find pictures by words, by a picture, or by both.

    It says how many pictures match and shows them first; below a line come those that are less similar.

    [bold]Examples[/]

      visavis search "a dog on a beach" --collection photos

      visavis search "in the snow" -c photos --like train.jpg --not people

      visavis search cats -c photos --sort "brightness desc"

      visavis search "a summer dress" -c shop --filter "price < 50 and colour = Blue" -k 5 --json
    """
    from visavis.api import open_collection

    if not text.strip() and not like:
        raise BadInputError("There is nothing to search for.", "Give a text, or a picture with --like.")
    with open_collection(collection, home) as opened:
        found = opened.search(
            text,
            k,
            like=like or (),
            avoid=avoid or (),
            filter=filter if filter.strip() else None,
            sort=sort.strip(),
            with_edits=with_edits,
            all_copies=all_copies,
        )
    if json:
        print_json(found.as_json())
    else:
        _show(found, (*sort.split()[:1], *_fields(filter)))


def _fields(filter: str) -> tuple[str, ...]:
    """The attributes that a filter names."""
    from visavis.language.filter_text import parse_filter
    from visavis.stores.filters import HasId, leaves

    conditions = leaves(parse_filter(filter)) if filter.strip() else ()
    return tuple(one.field for one in conditions if not isinstance(one, HasId))


def _show(found: SearchResults, asked: Sequence[str]) -> None:
    """Print the results, with the values of the attributes that were sorted or chosen by."""
    from visavis.questions.attributes import valued
    from visavis.types import name_in_words

    fields = fields_told(asked, [result.picture.attributes for result in found.results])
    if found.matches:
        stdout.print(counted(found.matches, about=found.about), highlight=False)
    for place, result in enumerate(found.results, 1):
        if not result.match and (place == 1 or found.results[place - 2].match):
            stdout.print(f"[dim]{'the nearest' if place == 1 else 'less similar'}[/]", highlight=False)
        caption = shorten(result.picture.caption or result.picture.title, _LONGEST_CAPTION, placeholder=" …")
        copies = len(result.picture.paths) - 1 + len(result.folded)
        more = f" [dim](+{copies} alike)[/]" if copies else ""
        stdout.print(
            f"{place:>3}  {result.probability:>4.0%}  {escape(result.picture.path)}{more}",
            highlight=False,
            soft_wrap=True,
        )
        known = result.picture.attributes
        values = [f"{name_in_words(name)} {valued(name, known)}" for name in fields if known.get(name) is not None]
        if told := "  ".join(filter(None, (caption, *values))):
            stdout.print(f"            [dim]{escape(told)}[/]", highlight=False, soft_wrap=True)
    if found.message:
        stderr.print(escape(found.message), highlight=False)
    if found.waiting:
        stderr.print(f"{found.waiting:,} more pictures wait for the upgrade of the collection.", highlight=False)
    stderr.print(f"[dim]{len(found.results)} found in {found.seconds:.3f} s[/]", highlight=False)


def counted(matches: int, *, about: bool) -> str:
    """How many pictures match, in words."""
    many = "1 picture matches" if matches == 1 else f"{matches} pictures match"
    return f"about {many}" if about else many
