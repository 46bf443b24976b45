"""Open collections, each opened once and shared by all requests; folders to choose pictures from."""

from __future__ import annotations

import os
import time
from collections.abc import Hashable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock, RLock

from cachetools import LRUCache

from visavis.api import Collection, open_collection
from visavis.assistant import Assistant
from visavis.assistant.draft import CollectionView
from visavis.assistant.question_policy import default_questioner
from visavis.assistant.retrieval import ConversationSearch, default_retriever
from visavis.collections.catalogue import Catalogue
from visavis.collections.places import Place, names
from visavis.errors import BadInputError, BusyError, NotFoundError
from visavis.home import expand_user
from visavis.language.base import default_parser
from visavis.pictures.folders import is_hidden
from visavis.pictures.formats import PICTURE_SUFFIXES
from visavis.server.models.collections import Facet, Folder, FolderList, FolderSuggestions
from visavis.server.settings import ServerSettings

#: Cached counts of facets, each for one state and one set of filters.
_CACHED_FACETS = 64
#: Cached orders of all pictures, each by one attribute.
_CACHED_ORDERS = 4


class OpenCollection:
    """One open collection with its assistant and its ranking; the encoder is loaded on first use.

    Attributes:
        bare: The collection, for what needs only its catalogue and its files.
        in_use: How many jobs work on it.
        suggestions: Cached suggestions, with the state of the collection that they were made for.
        facets: Cached counts of values, by state and filters.
        orders: Cached orders of all pictures, by state and attribute.
        facets_lock: Guards both.
    """

    def __init__(self, collection: Collection) -> None:
        self.bare = collection
        self.in_use = 0
        self._view = CollectionView(collection)
        self._store_is_open = False
        self.suggestions: tuple[str, list[str]] | None = None
        self.facets: LRUCache[Hashable, list[Facet]] = LRUCache(_CACHED_FACETS)
        self.orders: LRUCache[Hashable, list[str]] = LRUCache(_CACHED_ORDERS)
        self.facets_lock = Lock()
        self._lock = RLock()
        self._prepared: tuple[Assistant, ConversationSearch] | None = None

    @property
    def name(self) -> str:
        """The name of the collection."""
        return self.bare.name

    @property
    def catalogue(self) -> Catalogue:
        """The catalogue of the collection."""
        return self.bare.catalogue

    @property
    def collection(self) -> Collection:
        """The collection with its store open; one thread opens it and the others wait."""
        if not self._store_is_open:
            with self._lock:
                _ = self.bare.store
                self._store_is_open = True
        return self.bare

    @property
    def view(self) -> CollectionView:
        """What is known of the collection's attributes."""
        _ = self.collection
        return self._view

    @property
    def assistant(self) -> Assistant:
        """The assistant of the collection."""
        return self._prepare()[0]

    @property
    def ranking(self) -> ConversationSearch:
        """Ranks without saving anything."""
        return self._prepare()[1]

    def refresh(self) -> None:
        """Discard what was derived from the collection, after it changed."""
        with self._lock:
            self._prepared = None
            self._view = CollectionView(self.bare)

    def _prepare(self) -> tuple[Assistant, ConversationSearch]:
        """The assistant and the ranking, as one value: another thread may call ``refresh`` meanwhile."""
        with self._lock:
            if self._prepared is None:
                retriever, policy = default_retriever(self.collection), default_questioner(self.collection)
                assistant = Assistant(self.collection, default_parser(), retriever, questioner=policy)
                self._prepared = assistant, ConversationSearch(self.collection, retriever)
            return self._prepared


def check_picture(opened: OpenCollection, id: str) -> str:
    """The id of a picture that exists.

    Raises:
        NotFoundError: It does not.
    """
    return opened.bare.picture(id).id


class CollectionRegistry:
    """Opens collections on first use and keeps them open; safe to use from any thread."""

    def __init__(self, settings: ServerSettings) -> None:
        self._settings = settings
        self._opened: dict[str, OpenCollection] = {}
        self._lock = RLock()

    def names(self) -> list[str]:
        """The names of all collections, in order."""
        return names(self._settings.home)

    def open(self, name: str) -> OpenCollection:
        """A collection.

        Raises:
            NotFoundError: There is none of this name.
        """
        with self._lock:
            kept = self._opened.get(name)
            if kept is not None and kept.bare.place.exists:
                return kept
            if kept is not None:  # another process removed it
                self._opened.pop(name).bare.close()
            opened = OpenCollection(open_collection(name, self._settings.home))
            self._opened[name] = opened
            return opened

    def create(self, name: str) -> OpenCollection:
        """A new collection.

        Raises:
            BusyError: There is one of this name.
        """
        with self._lock:
            if Place.of(name, self._settings.home).exists:
                raise BusyError(f"There is a collection '{name}' already.", "Choose another name.")
            chosen = self._settings
            collection = open_collection(name, chosen.home, chosen.store, catalogue=chosen.catalogue, create=True)
            self._opened[name] = OpenCollection(collection)
            return self._opened[name]

    def remove(self, name: str) -> None:
        """Delete a collection; the pictures' files stay where they are."""
        with self._lock:
            opened = self.open(name)
            if opened.in_use:
                raise BusyError(f"The collection '{name}' is being indexed.", "Stop that first.")
            opened.collection.remove()
            self._opened.pop(name, None)

    @contextmanager
    def using(self, name: str) -> Iterator[OpenCollection]:
        """A collection that cannot be removed within the block."""
        with self._lock:
            opened = self.open(name)
            opened.in_use += 1
        try:
            yield opened
        finally:
            with self._lock:
                opened.in_use -= 1

    def check_shareable(self) -> None:
        """Refuse what several processes cannot share.

        Raises:
            BadInputError: A collection keeps its vectors or its rows in files of its own.
        """
        for name in self.names():
            settings = Place.of(name, self._settings.home).settings()
            if not settings.store or not settings.catalogue:
                raise BadInputError(
                    f"Several workers cannot share the collection '{name}': its vectors or its catalogue are files.",
                    "Use one worker, or index it with --store qdrant://... --catalogue postgresql://...",
                )

    def close(self) -> None:
        """Close all collections."""
        with self._lock:
            for opened in self._opened.values():
                opened.bare.close()
            self._opened.clear()


_MOST_FOLDERS = 500
#: The longest that a request waits for a count, and the highest number that is counted.
_SECONDS = 1.5
_MOST_COUNTED = 10_000
_MOST_OFFERED = 6
_DEEPEST = 6
#: Folders of programs: what looks like a picture in them is none that somebody took.
_OF_PROGRAMS = frozenset(
    "node_modules __pycache__ site-packages venv env AppData Library Applications snap go target dist build".split()
)
#: Folders of the system, directly below the root.
_OF_SYSTEM = frozenset(
    "bin boot dev etc lib lib32 lib64 libx32 lost+found proc run sbin snap srv sys tmp usr var opt "
    "System Library Applications cores private Windows".split()
)


def list_folders(path: str) -> FolderList:
    """The folders in a folder that hold pictures, or may; those of the system and of programs are left out.

    Raises:
        NotFoundError: There is no such folder.
    """
    if "\0" in path:
        raise BadInputError("That is no path.", "Choose a folder.")
    folder = Path(os.path.abspath(expand_user(path or "~")))  # noqa: PTH100  (.. goes, links stay as written)
    try:
        found = sorted(_inside(folder), key=lambda one: one.name.lower())[:_MOST_FOLDERS]
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise NotFoundError(f"The folder {folder} cannot be read: {reason}.", "Choose another.") from error
    survey = _Survey()
    here = survey.count_here(folder)
    folders = [Folder(name=one.name, path=str(one), pictures=survey.count(one).pictures) for one in found]
    seen = [one for one in folders if one.pictures or survey.ended]
    return FolderList(
        path=str(folder),
        parent=None if folder.parent == folder else str(folder.parent),
        folders=seen,
        pictures=here + sum(one.pictures for one in folders),
        counted=not survey.ended,
        empty=len(folders) - len(seen),
    )


def suggest_folders() -> FolderSuggestions:
    """Folders of the home that hold pictures, the fullest first; none that holds none is offered."""
    home = expand_user("~")
    survey = _Survey()
    try:
        # What is called Pictures comes first where the time ends.
        top = sorted(_inside(home), key=lambda one: (one.name.lower() not in ("pictures", "photos"), one.name.lower()))
    except OSError:
        top = []
    found = [survey.count(folder) for folder in top]
    here = survey.count_here(home)
    offered = [(one.heart(), one.pictures) for one in found if one.pictures]
    if here:
        offered.append((home, here))
    offered.sort(key=lambda one: -one[1])
    folders = [Folder(name=path.name, path=str(path), pictures=count) for path, count in offered[:_MOST_OFFERED]]
    return FolderSuggestions(home=str(home), folders=folders)


def _inside(folder: Path) -> Iterator[Path]:
    """The folders in a folder that may be looked into."""
    left_out = _OF_PROGRAMS | _OF_SYSTEM if folder.parent == folder else _OF_PROGRAMS
    with os.scandir(folder) as entries:
        for entry in entries:
            if not is_hidden(entry.name) and entry.name not in left_out and entry.is_dir(follow_symlinks=False):
                yield Path(entry.path)


@dataclass
class _Counted:
    """A folder with how many pictures are in it, and in the folders in it."""

    path: Path
    here: int = 0
    inside: list[_Counted] = field(default_factory=list)

    @property
    def pictures(self) -> int:
        return self.here + sum(one.pictures for one in self.inside)

    def heart(self) -> Path:
        """The folder that all of its pictures are in: of `Documents/scans` that is `scans`."""
        full = [one for one in self.inside if one.pictures]
        return full[0].heart() if not self.here and len(full) == 1 else self.path


class _Survey:
    """Counts pictures by their names until its time is over."""

    def __init__(self) -> None:
        self._until = time.monotonic() + _SECONDS
        self._counted = 0

    @property
    def ended(self) -> bool:
        """Whether not everything could be counted."""
        return self._counted >= _MOST_COUNTED or time.monotonic() > self._until

    def count(self, folder: Path, depth: int = 0) -> _Counted:
        """The pictures in a folder and in the folders in it."""
        found = _Counted(folder, self.count_here(folder))
        if depth < _DEEPEST:
            try:
                inside = list(_inside(folder))
            except OSError:
                inside = []
            for one in inside:
                if self.ended:
                    break
                found.inside.append(self.count(one, depth + 1))
        return found

    def count_here(self, folder: Path) -> int:
        """The pictures directly in a folder."""
        count = 0
        try:
            with os.scandir(folder) as entries:
                for entry in entries:
                    if os.path.splitext(entry.name)[1].lower() in PICTURE_SUFFIXES:  # noqa: PTH122 - a Path is slow
                        count += 1
                        if self._counted + count >= _MOST_COUNTED:
                            break
        except OSError:
            return 0
        self._counted += count
        return count
