"""Starting the server as `manage.py serve` does: with Streamlit's own settings and long keep-alive.

`streamlit run app.py` starts the same application, but uvicorn then closes a connection after five idle seconds, which
can hit a browser just as it sends.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import uvicorn
from streamlit import config
from streamlit.runtime.runtime_util import get_max_message_size_bytes

from server.health import end_unless_prepared
from server.hosts import networks
from server.sockets import listening_socket
from services.installation.environment import data_dir, proxies

ROOT = Path(__file__).resolve().parents[1]
KEPT_FOR_SECONDS = 75
# How long requests in progress may take to finish when the server is asked to stop.
LAST_ANSWERS_SECONDS = 8
# Streamlit's default if `server.websocketPingInterval` is not set.
PING_SECONDS = 30


def serve(port: int | None = None, address: str | None = None) -> None:
    """Serve until asked to stop. The settings are those of `.streamlit/config.toml`.

    Raises
    ------
    OSError
        The port cannot be opened.
    ValueError
        A setting is invalid; the message says which and what is expected.
    """
    networks(proxies())
    # Settings and pages/ are found relative to the program's folder; the data folder stays where it was requested.
    os.environ["BLINDREAD_DATA_DIR"] = str(data_dir())
    os.chdir(ROOT)
    given = {"server.port": port, "server.address": address}
    config.get_config_options(
        force_reparse=True, options_from_flags={name: value for name, value in given.items() if value is not None}
    )
    host, number = str(config.get_option("server.address") or "127.0.0.1"), int(config.get_option("server.port"))
    end_unless_prepared()
    with listening_socket(host, number) as listening:
        where = f"Blindread is running on http://{host}:{number}, data folder {data_dir()}."
        print(f"{where} Open the address in a browser to sign in; Ctrl+C stops it.", flush=True)  # noqa: T201  tells people where to look
        server = uvicorn.Server(uvicorn.Config("app:app", host=host, port=number, **settings()))
        server.run(sockets=[listening])
    if not server.started:
        raise SystemExit(3)


def settings() -> dict[str, Any]:
    """Return uvicorn's settings: those that Streamlit would pass, and how long idle connections are kept."""
    interval = config.get_option("server.websocketPingInterval")
    return {
        "ssl_certfile": config.get_option("server.sslCertFile"),
        "ssl_keyfile": config.get_option("server.sslKeyFile"),
        "ws": "websockets-sansio",
        "ws_ping_interval": PING_SECONDS if interval is None else int(interval),
        "ws_ping_timeout": PING_SECONDS if interval is None else int(interval),
        "ws_max_size": get_max_message_size_bytes(),
        "ws_per_message_deflate": config.get_option("server.enableWebsocketCompression"),
        "use_colors": False,
        "access_log": False,
        # `server.hosts` reads proxies' headers instead, and trusts only listed proxies.
        "proxy_headers": False,
        "timeout_keep_alive": KEPT_FOR_SECONDS,
        "timeout_graceful_shutdown": LAST_ANSWERS_SECONDS,
    }
