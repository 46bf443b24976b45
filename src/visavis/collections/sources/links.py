"""Download a picture from a link without access to the local network (SSRF protection).

Links in a catalogue file are untrusted. Every address that a host name resolves to must be public, the connection
goes to the checked address (the name is not resolved twice), each redirect is checked again, and size and time are
bounded.
"""

from __future__ import annotations

import http.client
import ipaddress
import socket
import ssl
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from threading import Timer
from urllib.parse import SplitResult, urljoin, urlsplit

from visavis.errors import BadInputError
from visavis.version import __version__

_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_CHUNK = 64 * 1024
_NAT64 = ipaddress.ip_network("64:ff9b::/96")
#: Where the internet's IPv6 addresses are; everything else is local, deprecated or not yet given to anybody.
_GLOBAL_UNICAST = ipaddress.ip_network("2000::/3")
#: Ranges that Python's tables do not have yet, or call public: documentation, and relays of 6to4.
_NOT_PUBLIC = (ipaddress.ip_network("3fff::/20"), ipaddress.ip_network("192.88.99.0/24"))
#: The middle of an ISATAP address, behind which an address of IPv4 follows.
_ISATAP = (0x5EFE, 0x0200_5EFE)


@dataclass(frozen=True)
class LinkLimits:
    """Limits of a download.

    Attributes:
        bytes: The largest picture.
        seconds: The total time of one link.
        redirects: How many are followed.
    """

    bytes: int = 50 * 1024 * 1024
    seconds: float = 30.0
    redirects: int = 5


class LinkError(BadInputError):
    """A link that cannot or must not be downloaded; the message says why."""


def is_link(text: str) -> bool:
    """Return whether this is a link rather than a path."""
    return text.lower().startswith(("http://", "https://"))


def is_public(address: str) -> bool:
    """Return whether an IP address belongs to the public internet.

    >>> is_public("93.184.216.34"), is_public("127.0.0.1"), is_public("169.254.169.254"), is_public("::ffff:10.0.0.1")
    (True, False, False, False)
    """
    ip = ipaddress.ip_address(address.split("%")[0])
    if isinstance(ip, ipaddress.IPv6Address):
        inner = ip.ipv4_mapped or ip.sixtofour or (ip.teredo[1] if ip.teredo else None)
        if ip in _NAT64:
            inner = ipaddress.IPv4Address(int(ip) & 0xFFFFFFFF)
        if inner is None and (int(ip) >> 32) & 0xFFFF_FFFF in _ISATAP:
            inner = ipaddress.IPv4Address(int(ip) & 0xFFFFFFFF)
        if inner is not None:
            return is_public(str(inner))
        if ip not in _GLOBAL_UNICAST:
            return False
    return ip.is_global and not ip.is_multicast and not any(ip in network for network in _NOT_PUBLIC)


def fetch(link: str, limits: LinkLimits | None = None, may_reach: Callable[[str], bool] = is_public) -> bytes:
    """Download the content of a link.

    Args:
        link: ``http://`` or ``https://``.
        limits: Limits of size, time and redirects.
        may_reach: Decides for each IP address whether connecting is allowed.

    Raises:
        LinkError: It cannot be downloaded, or must not.
    """
    limits = limits or LinkLimits()
    deadline = time.monotonic() + limits.seconds
    current = link
    for _ in range(limits.redirects + 1):
        try:
            found = _get(current, limits, deadline, may_reach)
        except LinkError as error:
            if current == link:
                raise
            raise LinkError(f"{link}: redirected to {error.message}") from error
        if isinstance(found, bytes):
            return found
        current = urljoin(current, found)
    raise LinkError(f"{link}: more than {limits.redirects} redirects.")


def _get(link: str, limits: LinkLimits, deadline: float, may_reach: Callable[[str], bool]) -> bytes | str:
    """Send one request; return the content, or the target of a redirect."""
    parts = _parts(link)
    host, port = parts.hostname or "", parts.port or (443 if parts.scheme == "https" else 80)
    address = _address(link, host, port, may_reach)
    connection = http.client.HTTPConnection(host, port)
    try:
        # Connect to the checked address: resolving the name again could give another one (DNS rebinding).
        connection.sock = plain = socket.create_connection((address, port), timeout=_remaining(link, deadline))
        with _time_limit(plain, _remaining(link, deadline)):
            if parts.scheme == "https":
                connection.sock = ssl.create_default_context().wrap_socket(plain, server_hostname=host)
            return _ask(link, parts, connection, limits, deadline)
    except (OSError, http.client.HTTPException, ValueError) as error:
        if isinstance(error, LinkError):
            raise
        _remaining(link, deadline)
        reason = getattr(error, "strerror", None) or str(error) or type(error).__name__
        raise LinkError(f"{link}: {reason}.") from error
    finally:
        connection.close()


def _ask(
    link: str, parts: SplitResult, connection: http.client.HTTPConnection, limits: LinkLimits, deadline: float
) -> bytes | str:
    target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    connection.request("GET", target, headers={"User-Agent": f"visavis/{__version__}", "Accept": "image/*"})
    response = connection.getresponse()
    if response.status in _REDIRECTS and (location := response.getheader("Location")):
        return location
    if response.status != 200:
        raise LinkError(f"{link}: the server answered {response.status} {response.reason}.")
    return _read(link, response, limits, deadline)


@contextmanager
def _time_limit(line: socket.socket, seconds: float) -> Iterator[None]:
    """Shut a connection down after a time-out.

    A socket's own time-out restarts with every byte: a slow server could extend it for days.
    """
    same = line.dup()  # TLS takes over the socket itself

    def end() -> None:
        with suppress(OSError):
            same.shutdown(socket.SHUT_RDWR)

    timer = Timer(seconds, end)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        same.close()


def _parts(link: str) -> SplitResult:
    try:
        parts = urlsplit(link)
        _ = parts.port  # raises for an invalid port
    except ValueError as error:
        raise LinkError(f"{link}: {error}.") from error
    if parts.scheme not in {"http", "https"} or not parts.hostname:
        raise LinkError(f"{link}: only http and https links are fetched.")
    if not link.isascii() or any(character.isspace() for character in link):
        raise LinkError(f"{link}: not a valid link.", "Escape its special characters (%20 for a space).")
    return parts


def _address(link: str, host: str, port: int, may_reach: Callable[[str], bool]) -> str:
    """Return the address to connect to; all addresses of the name must be allowed."""
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise LinkError(f"{link}: the name {host} cannot be resolved.") from error
    addresses = [str(entry[4][0]) for entry in found]
    refused = [address for address in addresses if not may_reach(address)]
    if refused or not addresses:
        raise LinkError(f"{link}: {host} is {refused[0] if refused else 'nowhere'}, which is not a public address.")
    return addresses[0]


def _read(link: str, response: http.client.HTTPResponse, limits: LinkLimits, deadline: float) -> bytes:
    too_large = LinkError(f"{link}: more than {limits.bytes / 1e6:,.0f} MB.")
    if int(response.getheader("Content-Length") or 0) > limits.bytes:
        raise too_large
    content = bytearray()
    # read1 returns available bytes, so that a slow server cannot extend the time.
    while chunk := response.read1(_CHUNK):
        content += chunk
        if len(content) > limits.bytes:
            raise too_large
        _remaining(link, deadline)
    _remaining(link, deadline)  # a connection that was shut down ends like a complete one
    return bytes(content)


def _remaining(link: str, deadline: float) -> float:
    left = deadline - time.monotonic()
    if left <= 0:
        raise LinkError(f"{link}: took too long.")
    return left
