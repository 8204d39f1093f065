"""The listening socket, set up so that answers are sent immediately.

Without TCP_NODELAY, every second small answer on a kept-alive connection waits 40 ms. asyncio sets the option only on
sockets created with an explicit protocol number; on Linux, accepted sockets inherit it from the listening one.
"""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator
from contextlib import suppress

WAITING_CONNECTIONS = 2048


def listening_socket(address: str, port: int) -> socket.socket:
    """Return a listening socket whose connections send without delay.

    Raises
    ------
    OSError
        The port is taken, or this process may not open it.
    """
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    made = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        made.bind((address, port))
        made.listen(WAITING_CONNECTIONS)
        made.setblocking(False)
    except BaseException:
        made.close()
        raise
    return made


def answer_at_once() -> int:
    """Set the option on every socket on which this process listens, and return their number.

    `streamlit run` creates its own socket and exposes it to nobody, so it is looked up among the open files.
    """
    count = 0
    for listening in _listening_sockets():
        with listening:
            listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            count += 1
    return count


def _listening_sockets() -> Iterator[socket.socket]:
    for name in _open_files():
        with suppress(OSError):
            copy = socket.socket(fileno=os.dup(name))
            tcp = copy.family in {socket.AF_INET, socket.AF_INET6} and copy.type == socket.SOCK_STREAM
            if tcp and copy.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN):
                yield copy
            else:
                copy.close()


def _open_files() -> list[int]:
    with suppress(OSError):
        return [int(name) for name in os.listdir("/dev/fd") if name.isdigit()]  # noqa: PTH208  names, not paths
    return []
