"""``visavis search``."""

from __future__ import annotations

from textwrap import shorten
from typing import TYPE_CHECKING, Annotated

import typer
from rich.markup import escape

from visavis.apps.cli.output import CollectionOption, HomeOption, JsonOption, print_json, stderr, stdout
from visavis.errors import BadInputError

if TYPE_CHECKING:
    from visavis.collections.searching.request import SearchResults


#: Letters of a caption that are shown; ``--json`` has all of it.
_LONGEST_CAPTION = 500


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(search)


def search(
    collection: CollectionOption,
    text: Annotated[str, typer.Argument(help="What the picture shows.")] = "",
    k: Annotated[int, typer.Option("-k", min=1, max=10_000, help="How many results at most.")] = 20,
    like: Annotated[list[str] | None, typer.Option(help="A picture it resembles: a path or an id.")] = None,
    avoid: Annotated[list[str] | None, typer.Option("--not", help="What it must not show.")] = None,
    filter: Annotated[str, typer.Option(help="Conditions on attributes, such as: price < 50 and colour = red")] = "",
    with_edits: Annotated[bool, typer.Option("--with-edits", help="Show edited pictures too.")] = False,
    all_copies: Annotated[bool, typer.Option("--all-copies", help="Show near-duplicates one by one.")] = False,
    nearest: Annotated[
        bool, typer.Option("--nearest", help="Show the nearest pictures even where nothing really fits.")
    ] = False,
    json: JsonOption = False,
    home: HomeOption = None,
) -> None:
    """Find pictures by words, by a picture, or by both.

    When nothing in the collection fits, it says so.

    [bold]Examples[/]

      visavis search "a dog on a beach" --collection photos

      visavis search "in the snow" -c photos --like train.jpg --not people

      visavis search "a summer dress" -c shop --filter "price < 50 and colour = Blue" -k 5 --json
    """
    from visavis.collections.collection import open_collection
    from visavis.collections.searching.request import NEAR_DUPLICATE, Search
    from visavis.stores.filter_text import parse_filter

    if not text.strip() and not like:
        raise BadInputError("There is nothing to search for.", "Give a text, or a picture with --like.")
    wanted = Search(
        text=text.strip(),
        k=k,
        like=tuple(like or ()),
        avoid=tuple(avoid or ()),
        filter=parse_filter(filter) if filter.strip() else None,
        with_edits=with_edits,
        fold=None if all_copies else NEAR_DUPLICATE,
        cutoff=not nearest,
    )
    with open_collection(collection, home) as opened:
        found = opened.searcher.search(wanted)
    if json:
        print_json(found.as_json())
    else:
        _show(found)


def _show(found: SearchResults) -> None:
    for place, result in enumerate(found.results, 1):
        caption = shorten(result.picture.caption or result.picture.title, _LONGEST_CAPTION, placeholder=" …")
        copies = len(result.picture.paths) - 1 + len(result.folded)
        more = f" [dim](+{copies} alike)[/]" if copies else ""
        stdout.print(
            f"{place:>3}  {result.score:.3f}  {escape(result.picture.path)}{more}", highlight=False, soft_wrap=True
        )
        if caption:
            stdout.print(f"            [dim]{escape(caption)}[/]", highlight=False, soft_wrap=True)
    if found.message:
        near = "" if found.confidence is None else " The nearest pictures all the same: --nearest"
        stderr.print(f"{escape(found.message)}{near}", highlight=False)
    stderr.print(f"[dim]{len(found.results)} found in {found.seconds:.3f} s[/]", highlight=False)
