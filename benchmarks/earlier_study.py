"""Run by the code of another release, from its folder: make a study of it and print sign-in links, as JSON.

``python -c "$(cat earlier_study.py)" STUDY_FOLDER KEY RATER ...``; it calls only what release 0.1.0 has.
"""

import json
import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType

from db import database_from_environment


def module(room: str, name: str, before: str = "") -> ModuleType:
    """Return a module of services: from its room, or as it was called before there were rooms."""
    try:
        return import_module(f"services.{room}.{name}")
    except ModuleNotFoundError:
        return import_module(f"services.{before or name}")


identity, worklist = module("people", "identity"), module("reading", "worklist")
maintenance = module("record", "maintenance", before="upkeep")
freezing, importing, members = (module("studies", name) for name in ("freezing", "importing", "members"))

folder, key, *logins = sys.argv[1:]
database = database_from_environment()
maintenance.prepare(database)
identity.ensure_owner(database, "admin", "Ada Admin")
admin = identity.actor_for_command_line(database)
importing.import_study(database, admin, Path(folder), key=key)
for login in logins:
    members.invite(database, admin, key, login, login.title(), "rater")
freezing.freeze_study(database, admin, key)
links = {}
for login in logins:
    token = identity.use_link(database, identity.make_link(database, login, "sign_in"), None)
    actor = identity.actor_of_token(database, token)
    if actor is None:
        raise SystemExit(f"{login} could not be signed in.")
    worklist.acknowledge_instructions(database, actor, key, "reading")
    links[login] = f"/link/{identity.make_link(database, login, 'sign_in')}"
database.engine.dispose()
print(json.dumps(links))
