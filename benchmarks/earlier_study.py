"""Run by the code of another release, from its folder: make a study of it and print sign-in links, as JSON.

``python -c "$(cat earlier_study.py)" STUDY_FOLDER KEY RATER ...``; it calls only what release 0.1.0 has.
"""

import json
import sys
from pathlib import Path

from db import database_from_environment
from services.people import identity
from services.people.identity import actor_of_token
from services.reading import worklist
from services.record import maintenance
from services.studies import freezing, importing, members

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
    actor = actor_of_token(database, token)
    if actor is None:
        raise SystemExit(f"{login} could not be signed in.")
    worklist.acknowledge_instructions(database, actor, key, "reading")
    links[login] = f"/link/{identity.make_link(database, login, 'sign_in')}"
database.engine.dispose()
print(json.dumps(links))
