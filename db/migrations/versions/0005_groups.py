"""In which group of people a rater is, and which of its slots they fill; to which slots a unit was dealt."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column(
        "membership", sa.Column("group_key", sa.String(length=40), server_default=sa.text("''"), nullable=False)
    )
    op.add_column("membership", sa.Column("slot", sa.Integer(), nullable=True))
    op.add_column("freeze_item", sa.Column("slots", sa.JSON(), server_default=sa.text("'[]'"), nullable=False))
