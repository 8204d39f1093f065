"""Which answer of a pair a judge was shown first."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0022"
down_revision = "0021"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("judge_verdict", sa.Column("shown_first", sa.String(length=6), server_default="", nullable=False))
