"""What a study knows of each rater beyond specialty and years: the attributes that its protocol declares."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0021"
down_revision = "0020"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("membership", sa.Column("attributes", sa.JSON(), server_default=sa.text("'{}'"), nullable=False))
