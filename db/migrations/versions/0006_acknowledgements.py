"""Which text of which phase somebody acknowledged, as one of which group: each text once, another one anew."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column(
        "acknowledgement", sa.Column("group_key", sa.String(length=40), server_default=sa.text("''"), nullable=False)
    )
    with op.batch_alter_table("acknowledgement") as table:
        table.alter_column(
            "phase", existing_type=sa.String(length=20), type_=sa.String(length=40), existing_nullable=False
        )
        table.drop_constraint("uq_acknowledgement_membership_id_phase", type_="unique")
        table.create_unique_constraint(
            "uq_acknowledgement_membership_id_group_key_phase_text_sha256",
            ["membership_id", "group_key", "phase", "text_sha256"],
        )
    if op.get_context().dialect.name == "postgresql":
        return
    # SQLite drops the triggers with a table that is rebuilt.
    for change in ("UPDATE", "DELETE"):
        op.execute(
            f"CREATE TRIGGER acknowledgement_no_{change.lower()} BEFORE {change} ON acknowledgement "
            "BEGIN SELECT RAISE(ABORT, 'acknowledgement is append-only'); END"
        )
