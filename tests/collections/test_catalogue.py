"""The catalogue and its ledger, on SQLite and on PostgreSQL alike."""

from __future__ import annotations

import sqlite3
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from alembic.config import Config
from alembic.script import ScriptDirectory
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import URL, create_engine, event, inspect, text

import visavis.conversation.memory  # noqa: F401  # its tables lie beside the catalogue
from visavis.collections import database, ledger
from visavis.collections.catalogue import MISSING, Catalogue
from visavis.collections.database import CatalogueBase
from visavis.database import set_pragma, sqlite_engine
from visavis.errors import BadInputError, StorageError
from visavis.pictures.picture import Details, Origin
from visavis.stores.base import STATE
from visavis.stores.filters import Equals, Not

A, B, C = "a" * 32, "b" * 32, "c" * 32
SHAPE = ledger.Shape(40, 30, 1000, "PNG")


def entry(path: str, id: str, details: Details | None = None, origin: Origin | None = None) -> ledger.Entry:
    told = details or Details()
    return ledger.Entry(path, "/p", ledger.Stamp(1, 2), id, SHAPE, told, {}, told, origin)


def test_what_is_recorded_is_read_back(catalogue: Catalogue):
    details = Details(("a cat", "on a mat"), {"price": 4.5, "stock": 3, "new": True, "tags": ["x", "y"], "brand": "Ä"})
    ledger.record(catalogue, [entry("/p/1", A, details, Origin(B, ("rotate 90",)))], run=1)
    picture = catalogue.picture(A)
    assert picture is not None
    assert picture.details == details
    assert picture.attributes["new"] is True
    assert (picture.paths, picture.width, picture.height, picture.format) == (("/p/1",), 40, 30, "PNG")
    assert picture.origin == Origin(B, ("rotate 90",))
    assert not picture.missing


def test_recording_twice_is_recording_once(catalogue: Catalogue):
    entries = [entry("/p/1", A, Details(("one",))), entry("/p/2", A), entry("/p/3", B)]
    for _ in range(2):
        for one in entries:
            ledger.record(catalogue, [one], run=1)
    counts = catalogue.counts()
    assert (counts.pictures, counts.files, counts.missing) == (2, 3, 0)
    assert catalogue.pictures([A])[A].paths == ("/p/1", "/p/2")


def test_a_copy_without_details_keeps_what_is_known(catalogue: Catalogue):
    ledger.record(catalogue, [entry("/p/1", A, Details(("kept",)))], run=1)
    copy = ledger.Entry("/p/2", "/p", ledger.Stamp(1, 2), A)
    ledger.record(catalogue, [copy], run=1)
    assert catalogue.pictures([A])[A].captions == ("kept",)


def test_a_file_with_new_content_leaves_its_old_picture_missing(catalogue: Catalogue):
    ledger.record(catalogue, [entry("/p/1", A)], run=1)
    assert ledger.record(catalogue, [entry("/p/1", B)], run=2) == [A]
    assert catalogue.pictures([A])[A].missing
    assert not catalogue.pictures([B])[B].missing
    assert catalogue.visible() == Not(Equals(STATE, MISSING))
    assert ledger.record(catalogue, [entry("/p/2", A)], run=3) == [A], "the store has it as missing"
    assert not catalogue.pictures([A])[A].missing


def test_a_picture_is_missing_only_without_its_last_file(catalogue: Catalogue):
    ledger.record(catalogue, [entry("/p/1", A), entry("/p/2", A)], run=1)
    assert ledger.mark_missing(catalogue, ["/p/1"]) == []
    assert ledger.mark_missing(catalogue, ["/p/2", "/p/unknown"]) == [A]
    assert catalogue.pictures([A])[A].paths == ("/p/1", "/p/2"), "a missing picture tells where it was"
    assert catalogue.counts().missing == 1


def test_failures_are_kept_until_the_file_works(catalogue: Catalogue):
    ledger.record(catalogue, [entry("/p/1", A)], run=1)
    assert ledger.fail(catalogue, "/p/1", "/p", ledger.Stamp(3, 4), "cut short", run=2) == [A]
    assert [(failure.path, failure.reason) for failure in catalogue.failures()] == [("/p/1", "cut short")]
    assert ledger.known_files(catalogue, ["/p/1"])["/p/1"] == ledger.KnownFile(ledger.Stamp(3, 4))
    ledger.record(catalogue, [entry("/p/1", B)], run=3)
    assert catalogue.failures() == []
    ledger.fail(catalogue, "/p/2", "/p", ledger.Stamp(3, 4), "gone", run=3)
    ledger.drop_old_failures(catalogue, "/p", run=4)
    assert catalogue.failures() == []


def test_unseen_knows_folders_by_whole_names(catalogue: Catalogue):
    paths = ["/p/1", "/p/sub/2", "/p2/3", "/p_/4", "/p/100%/5"]
    for number, path in enumerate(paths):
        ledger.record(catalogue, [entry(path, f"{number:032x}")], run=1)
    ledger.mark_seen(catalogue, ["/p/1"], run=2)
    assert sorted(path for chunk in ledger.unseen(catalogue, 2, below="/p") for path in chunk) == [
        "/p/100%/5",
        "/p/sub/2",
    ]
    assert [path for chunk in ledger.unseen(catalogue, 2, below="/p/100%") for path in chunk] == ["/p/100%/5"]
    assert sum(len(chunk) for chunk in ledger.unseen(catalogue, 2, source="/p")) == 4


def test_forgetting_takes_everything_along_but_not_what_was_made_of_it(catalogue: Catalogue):
    ledger.record(
        catalogue, [entry("/p/1", A, Details(("x",), {"y": 1})), entry("/p/2", B, origin=Origin(A, ("undo",)))], 1
    )
    ledger.forget(catalogue, [A])
    assert catalogue.picture(A) is None
    assert catalogue.attribute_names() == []
    assert catalogue.pictures([B])[B].origin == Origin(A, ("undo",))


def test_scroll_gives_every_picture_once_in_order(catalogue: Catalogue):
    ids = sorted(f"{number * 7919:032x}" for number in range(25))
    ledger.record(catalogue, [entry(f"/p/{id}", id) for id in ids], run=1)
    ledger.mark_missing(catalogue, [f"/p/{ids[0]}"])
    assert [picture.id for batch in catalogue.scroll(10) for picture in batch] == ids
    assert [picture.id for batch in catalogue.scroll(10, missing=False) for picture in batch] == ids[1:]


def test_runs_count_up_across_threads(catalogue: Catalogue):
    ledger.begin_run(catalogue)
    with ThreadPoolExecutor(4) as pool:
        runs = list(pool.map(lambda _: ledger.begin_run(catalogue), range(12)))
    assert sorted(runs) == list(range(2, 14))


def test_many_threads_record_the_same_picture(catalogue: Catalogue):
    with ThreadPoolExecutor(4) as pool:
        jobs = [pool.submit(ledger.record, catalogue, [entry(f"/p/{number}", A)], 1) for number in range(16)]
    assert [A] in [job.result() for job in jobs], "the payload is due for every further copy of a known picture"
    assert len(catalogue.pictures([A])[A].paths) == 16


def test_the_migrations_make_the_tables_of_the_code(tmp_path: Path):
    Catalogue(tmp_path / "c.sqlite", "").close()
    migrated = inspect(create_engine(f"sqlite:///{tmp_path / 'c.sqlite'}"))
    fresh_engine = create_engine("sqlite://")
    CatalogueBase.metadata.create_all(fresh_engine)
    fresh = inspect(fresh_engine)
    named = {name for name in migrated.get_table_names() if not name.startswith("document_")}  # SQLite's own, of FTS5
    assert named == {*fresh.get_table_names(), "alembic_version"}
    for table in fresh.get_table_names():
        for told in ("get_columns", "get_indexes", "get_foreign_keys", "get_pk_constraint"):
            assert _plain(getattr(migrated, told)(table)) == _plain(getattr(fresh, told)(table)), (table, told)


def _plain(found: object) -> object:
    if isinstance(found, list):
        return sorted(str(_plain(one)) for one in found)
    if isinstance(found, dict):
        return {
            key: str(value) for key, value in found.items() if key not in {"name", "autoincrement"} or "type" in found
        }
    return found


def test_head_is_the_newest_migration():
    config = Config()
    config.set_main_option("script_location", str(Path(database.__file__).parent / "migrations"))
    assert ScriptDirectory.from_config(config).get_current_head() == database.HEAD


def test_two_openers_at_once_migrate_once(tmp_path: Path):
    with ThreadPoolExecutor(4) as pool:
        opened = list(pool.map(lambda _: Catalogue(tmp_path / "c.sqlite", ""), range(4)))
    assert [one.counts().pictures for one in opened] == [0] * 4


def test_connections_that_turn_a_new_file_to_wal_at_once_wait_for_each_other(tmp_path: Path):
    """SQLite answers "locked" at once where two connections change the journal: 7 % of such starts failed."""

    def start(file: Path) -> str:
        engine = sqlite_engine(URL.create("sqlite", database=str(file)), ("journal_mode=WAL",))
        together.wait()
        with engine.connect() as connection:
            mode = connection.execute(text("PRAGMA journal_mode")).scalar()
        engine.dispose()
        return str(mode)

    together = threading.Barrier(4)
    for number in range(60):
        with ThreadPoolExecutor(4) as pool:
            assert list(pool.map(start, [tmp_path / f"{number}.sqlite"] * 4)) == ["wal"] * 4


def test_a_pragma_that_meets_a_lock_is_tried_again_and_no_other():
    """The moment in which two connections meet cannot be arranged: one that is met says what SQLite says then."""

    class Met:
        def __init__(self, *codes: int) -> None:
            self.codes = list(codes)

        def execute(self, _: str) -> None:
            if self.codes:
                error = sqlite3.OperationalError("database is locked")
                error.sqlite_errorcode = self.codes.pop(0)
                raise error

    locked = Met(sqlite3.SQLITE_BUSY, sqlite3.SQLITE_BUSY_RECOVERY)
    set_pragma(locked, "journal_mode=WAL")
    assert locked.codes == []
    with pytest.raises(sqlite3.OperationalError):
        set_pragma(Met(sqlite3.SQLITE_IOERR), "journal_mode=WAL")


def test_a_newer_catalogue_is_refused(tmp_path: Path):
    Catalogue(tmp_path / "c.sqlite", "").close()
    with sqlite3.connect(tmp_path / "c.sqlite") as connection:
        connection.execute("UPDATE alembic_version SET version_num = '9999'")
    with pytest.raises(BadInputError, match="newer"):
        Catalogue(tmp_path / "c.sqlite", "")


def test_a_damaged_file_is_told_as_such(tmp_path: Path):
    (tmp_path / "c.sqlite").write_bytes(b"this is not a database at all, not even nearly" * 100)
    with pytest.raises(StorageError, match=r"c\.sqlite"):
        Catalogue(tmp_path / "c.sqlite", "")
    assert (tmp_path / "c.sqlite").read_bytes().startswith(b"this is not"), "it was overwritten"


@pytest.mark.parametrize("url", ["mysql://root@localhost/x", "postgresql://nobody@127.0.0.1:1/x"])
def test_a_database_that_cannot_be_used_is_told_in_words(url: str):
    with pytest.raises((BadInputError, StorageError)) as caught:
        Catalogue(url, "visavis_x")
    assert caught.value.remedy


def test_passwords_stay_out_of_messages():
    with pytest.raises(StorageError) as caught:
        Catalogue("postgresql://me:secret@127.0.0.1:1/x", "visavis_x")
    assert "secret" not in str(caught.value)


values = st.one_of(
    st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=30),
    st.integers(-(2**53), 2**53),
    st.floats(allow_nan=False, allow_infinity=False),
    st.booleans(),
    st.lists(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=10), max_size=4),
)
names = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=30)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(captions=st.lists(names, max_size=4, unique=True), attributes=st.dictionaries(names, values, max_size=5))
def test_any_details_survive_the_round(tmp_path: Path, captions: list[str], attributes: dict[str, object]):
    catalogue = Catalogue(tmp_path / "c.sqlite", "")
    details = Details(tuple(captions), attributes)  # type: ignore[arg-type]
    ledger.record(catalogue, [entry("/p/1", A, details)], run=1)
    stored = catalogue.pictures([A])[A].details
    assert stored == details
    assert {name: type(value) for name, value in stored.attributes.items()} == {
        name: type(value) for name, value in attributes.items()
    }


@given(st.sets(st.text("0aF", min_size=1, max_size=4).map(lambda start: start.lower().ljust(32, "5")), min_size=1))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=20, deadline=None)
def test_ids_are_found_by_how_they_begin(catalogue: Catalogue, ids: set[str]):
    ledger.forget(catalogue, [picture.id for batch in catalogue.scroll() for picture in batch])
    ledger.record(catalogue, [entry(f"/p/{id}", id) for id in sorted(ids)], run=1)
    for prefix in {id[:length] for id in ids for length in (1, 3, 32)}:
        assert catalogue.ids_starting(prefix, limit=100) == sorted(id for id in ids if id.startswith(prefix))
    for strange in ("g", "%", "_", "0f\0", "ä"):
        assert catalogue.ids_starting(strange) == []


def test_no_row_is_looked_at_that_does_not_begin_so(catalogue: Catalogue):
    """With LIKE, SQLite read every id for each picture that was opened."""
    asked: list[str] = []
    engine = catalogue._engine
    if engine.dialect.name != "sqlite":
        pytest.skip("PostgreSQL plans by itself")
    event.listen(engine, "before_cursor_execute", lambda *given: asked.append(given[2]))
    catalogue.ids_starting("abc")
    with engine.connect() as connection:
        plan = connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {asked[-1]}", ("abc", "abcg", 2, 0)).fetchall()
    assert "SEARCH pictures USING" in str(plan)


@given(st.sets(st.from_regex(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}", fullmatch=True), min_size=2, max_size=5))
def test_no_two_collections_share_their_tables_in_postgresql(names: set[str]):
    look_alikes = names | {name.lower() for name in names} | {name.replace(".", "-") for name in names}
    schemas = {database.schema_name(name) for name in look_alikes}
    assert len(schemas) == len(look_alikes)
    assert all(len(schema) <= 63 for schema in schemas)
