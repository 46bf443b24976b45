"""What pictures can be filtered by, with counts."""

from __future__ import annotations

from collections.abc import Sequence

from visavis.apps.server.library.opened import Opened
from visavis.apps.server.models.collections import Facet, FacetValue
from visavis.collections.payload import EDITED, MISSING, visible
from visavis.conversation.brief import NOTHING, Brief
from visavis.language.context import NumberRange
from visavis.stores.filters import All, Filter

_MOST_FACETS = 16
#: Counts that are kept; they hold as long as the collection stays as it is.
_KEPT = 64
_MOST_VALUES = 40
#: A field with this share of different values names pictures rather than sorting them.
_NAMES_SHARE = 0.5


def facets(opened: Opened, fields: Sequence[str] = (), brief: Brief = NOTHING) -> list[Facet]:
    """The facets of a collection.

    Args:
        opened: The collection.
        fields: Only these, when there are any.
        brief: The wishes of a conversation; each facet is counted under the filters on other fields.
    """
    state = opened.surroundings.state()
    conditions = tuple(wish.text for wish in brief.of("filter"))
    key = (state, tuple(fields), conditions)
    found = opened.kept_facets.get(key)
    if found is None:
        if len(opened.kept_facets) >= _KEPT:
            opened.kept_facets.clear()
        found = opened.kept_facets[key] = _count(opened, state, fields, brief)
    return found


def _count(opened: Opened, state: str, fields: Sequence[str], brief: Brief) -> list[Facet]:
    attributes = opened.surroundings.attributes(state)
    total = max(1, len(opened.collection))
    found = []
    for name, kind in attributes.items():
        if (fields and name not in fields) or name == "title":
            continue
        if isinstance(kind, NumberRange):
            found.append(Facet(field=name, label=_label(name), kind="number", min=kind.low, max=kind.high))
        elif len(kind) > 1 and (total < 50 or len(kind) < total * _NAMES_SHARE):
            counted = opened.collection.store.facets(name, _filter(opened, brief, name), _MOST_VALUES)
            values = [FacetValue(value=str(value), count=count) for value, count in counted]
            found.append(Facet(field=name, label=_label(name), kind="choice", values=values))
        if len(found) >= _MOST_FACETS:
            break
    return found


def _filter(opened: Opened, brief: Brief, field: str) -> Filter | None:
    conditions = tuple(
        wish.filter for wish in brief.of("filter") if wish.filter is not None and wish.attribute != field
    )
    missing, edited = opened.collection.catalogue.has_hidden()
    hide = [state for state, there in ((MISSING, missing), (EDITED, edited)) if there]
    return visible(All(conditions) if conditions else None, hide=hide)


def _label(name: str) -> str:
    """A field's name as people read it.

    >>> _label("base_colour"), _label("articleType")
    ('base colour', 'article type')
    """
    spaced = "".join(f" {letter.lower()}" if letter.isupper() else letter for letter in name)
    return spaced.replace("_", " ").replace("-", " ").strip()
