"""What a study that lists its phases stores: its file, its attributes, and for which phase a unit was drawn."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None

FROZEN = 'EXISTS (SELECT 1 FROM item JOIN "freeze" ON "freeze".study_id = item.study_id WHERE item.id = OLD.item_id)'
GROUNDINGS = "grounding IN ('image_grounded', 'image_informed', '')"


def upgrade() -> None:
    op.add_column("protocol", sa.Column("source", sa.String(), server_default=sa.text("''"), nullable=False))
    for name in ("study_case", "item", "candidate"):
        op.add_column(name, sa.Column("attributes", sa.JSON(), server_default=sa.text("'{}'"), nullable=False))
    _let_items_be_without_images()
    _name_the_phase_of_what_was_drawn()


def _let_items_be_without_images() -> None:
    """An item without scans is grounded in none."""
    # SQLite renames no table that a trigger names while it is away.
    on_sqlite = op.get_context().dialect.name == "sqlite"
    if on_sqlite:
        op.execute("DROP TRIGGER reference_no_delete")
    with op.batch_alter_table("item") as table:
        table.drop_constraint(op.f("ck_item_grounding"), type_="check")
        table.create_check_constraint(op.f("ck_item_grounding"), GROUNDINGS)
    if on_sqlite:
        op.execute(
            f"CREATE TRIGGER reference_no_delete BEFORE DELETE ON reference WHEN {FROZEN} "
            "BEGIN SELECT RAISE(ABORT, 'reference is append-only'); END"
        )


def _name_the_phase_of_what_was_drawn() -> None:
    op.add_column("freeze_item", sa.Column("phase", sa.String(length=40), server_default=sa.text("''"), nullable=False))
    op.add_column("freeze_item", sa.Column("inclusion_error", sa.Float(), nullable=True))
    with op.batch_alter_table("freeze_item") as table:
        table.drop_constraint("uq_freeze_item_freeze_id_item_id_candidate_id", type_="unique")
        table.create_unique_constraint(
            "uq_freeze_item_freeze_id_phase_item_id_candidate_id", ["freeze_id", "phase", "item_id", "candidate_id"]
        )
        table.alter_column("inclusion_probability", existing_type=sa.Float(), nullable=True)
    if op.get_context().dialect.name == "postgresql":
        return
    # SQLite drops the triggers with a table that is rebuilt.
    for change in ("UPDATE", "DELETE"):
        op.execute(
            f"CREATE TRIGGER freeze_item_no_{change.lower()} BEFORE {change} ON freeze_item "
            "BEGIN SELECT RAISE(ABORT, 'freeze_item is append-only'); END"
        )
