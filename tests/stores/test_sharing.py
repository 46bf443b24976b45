"""One embedded store, many processes: hosts, clients, and the end of a host."""

from __future__ import annotations

import threading
from pathlib import Path

import numpy as np
import pytest
from memory_store import MemoryStore

from visavis.errors import BadInputError, BusyError, StorageError
from visavis.stores.base import Query, Store, StoredPoint
from visavis.stores.filters import Equals
from visavis.stores.sharing.host import HostAddress, StoreHost
from visavis.stores.sharing.store import HostEndedError, SharedStore, StoreClient

A, B = "a" * 32, "b" * 32


def point(id: str, *vector: float, **payload: object) -> StoredPoint:
    whole = np.array(vector, np.float32)
    return StoredPoint(id, whole, whole[None], payload)


@pytest.fixture
def shared(tmp_path: Path):
    store = MemoryStore()
    host = StoreHost(store, tmp_path / "store.host")
    guest = StoreClient(tmp_path / "store.host")
    yield store, guest
    guest.close()
    host.close()


def test_a_guest_does_everything_a_store_does(shared: tuple[MemoryStore, StoreClient]):
    store, guest = shared
    guest.upsert([point(A, 1, 0, colour="red"), point(B, 0, 1, colour="blue")])
    assert set(store.points) == {A, B}
    query = Query(np.array([[1, 0]], np.float32), limit=1)
    assert guest.query(query) == store.query(query)
    assert guest.count(Equals("colour", "red")) == 1
    assert guest.facets("colour") == store.facets("colour")
    assert guest.vectors([A])[A].tolist() == [1, 0]
    guest.set_payload(A, {"colour": "green"})
    assert guest.payloads([A]) == {A: {"colour": "green"}}
    guest.index_field("colour", "keyword")
    guest.optimize()
    guest.flush()
    assert guest.fields() == {"colour": "keyword"}
    assert (store.calls["optimize"], store.calls["flush"]) == (1, 1)
    assert [[one.id for one in batch] for batch in guest.scroll(1)] == [[A], [B]]
    assert list(guest.ids()) == [A, B]
    assert guest.info() == store.info()
    guest.delete([A])
    assert set(store.points) == {B}


def test_every_method_of_a_store_is_passed_on():
    from visavis.stores.sharing.host import METHODS

    public = {name for name, member in vars(Store).items() if callable(member) and not name.startswith("_")}
    assert public - {"close", "clear"} == METHODS  # clear is made of others
    for shared in (StoreClient, SharedStore):
        assert set(vars(shared)) >= METHODS, "a method of the base class would not be passed on"


def test_errors_arrive_with_their_remedy(shared: tuple[MemoryStore, StoreClient], monkeypatch: pytest.MonkeyPatch):
    store, guest = shared

    def fails(error: Exception):
        def raise_it(*_: object) -> None:
            raise error

        monkeypatch.setattr(store, "count", raise_it)

    fails(BadInputError("bad field", "use another"))
    with pytest.raises(BadInputError, match="bad field") as caught:
        guest.count()
    assert caught.value.remedy == "use another"
    fails(RuntimeError("boom"))
    with pytest.raises(StorageError, match="boom"):
        guest.count()


def test_guests_work_side_by_side(shared: tuple[MemoryStore, StoreClient], tmp_path: Path):
    _, guest = shared
    guest.upsert([point(f"{number:032x}", 1, 0) for number in range(50)])
    guests = [StoreClient(tmp_path / "store.host") for _ in range(4)]
    counts: list[int] = []
    threads = [threading.Thread(target=lambda one=one: counts.extend(one.count() for _ in range(20))) for one in guests]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert counts == [50] * 80


def test_a_stranger_without_the_key_is_not_let_in(shared: tuple[MemoryStore, StoreClient], tmp_path: Path):
    real = HostAddress.read(tmp_path / "store.host")
    HostAddress(real.address, b"wrong key", real.process).publish(tmp_path / "forged.host")
    with pytest.raises(HostEndedError):
        StoreClient(tmp_path / "forged.host")
    assert shared[1].count() == 0, "the host is still there for the others"
    assert (tmp_path / "store.host").stat().st_mode & 0o077 == 0, "others could read the key"


def test_unknown_calls_are_refused(shared: tuple[MemoryStore, StoreClient]):
    with pytest.raises(BadInputError, match="close"):
        shared[1]._call("close")


class OneAtATime:
    """Opens a store with an exclusive lock."""

    def __init__(self) -> None:
        self.store = MemoryStore()
        self.taken = False

    def __call__(self) -> Store:
        if self.taken:
            raise BusyError("taken")
        self.taken = True
        self.store.closed = False
        self.store.close = self.release  # type: ignore[method-assign]
        return self.store

    def release(self) -> None:
        self.taken = False


def test_the_second_joins_and_takes_over_when_the_first_ends(tmp_path: Path):
    opener = OneAtATime()
    first = SharedStore(opener, tmp_path / "store.host")
    second = SharedStore(opener, tmp_path / "store.host")
    assert first._store is opener.store
    assert isinstance(second._store, StoreClient)
    second.upsert([point(A, 1, 0)])
    assert first.count() == 1
    first.close()
    first.close()
    assert second.count() == 1, "the call must be made again with the next host"
    assert second._store is opener.store
    third = SharedStore(opener, tmp_path / "store.host")
    assert list(third.ids()) == [A]
    third.close()
    second.close()
    assert not opener.taken


def test_a_scroll_goes_on_when_the_host_ends_half_way(tmp_path: Path):
    opener = OneAtATime()
    first = SharedStore(opener, tmp_path / "store.host")
    ids = [f"{number:032x}" for number in range(2000)]
    first.upsert([point(id, *np.zeros(64)) for id in ids])
    second = SharedStore(opener, tmp_path / "store.host")
    seen = []
    for number, batch in enumerate(second.scroll(100)):
        seen += [one.id for one in batch]
        if number == 3:
            first.close()
    assert seen == ids
    second.close()


def test_a_store_nobody_hosts_is_busy_after_a_while(tmp_path: Path):
    opener = OneAtATime()
    opener.taken = True
    with pytest.raises(BusyError, match="taken"):
        SharedStore(opener, tmp_path / "store.host", timeout=0.2)


def test_the_address_of_a_host_that_is_gone_does_not_matter(tmp_path: Path):
    HostAddress(str(tmp_path / "gone.sock"), b"x", 1).publish(tmp_path / "store.host")
    opener = OneAtATime()
    store = SharedStore(opener, tmp_path / "store.host")
    assert store._store is opener.store
    store.close()


def test_a_guest_that_was_closed_does_not_open_the_store_for_a_late_call(tmp_path: Path):
    opener = OneAtATime()
    first = SharedStore(opener, tmp_path / "store.host")
    second = SharedStore(opener, tmp_path / "store.host")
    second.close()
    first.close()
    with pytest.raises(StorageError, match="is closed"):
        second.count()
    assert not opener.taken
