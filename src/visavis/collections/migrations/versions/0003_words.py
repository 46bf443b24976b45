"""The words written about each picture, and their index; filled from the rows that are there."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.orm import Session

revision = "0003"
down_revision = "0002"
_BATCH = 500

_SQLITE = (
    "CREATE VIRTUAL TABLE document_words USING fts5(words, content='documents', content_rowid='number',"
    " tokenize='unicode61 remove_diacritics 0', detail='none', columnsize=0)",
    "CREATE VIRTUAL TABLE document_vocabulary USING fts5vocab(document_words, 'row')",
    "CREATE TRIGGER document_added AFTER INSERT ON documents BEGIN"
    " INSERT INTO document_words(rowid, words) VALUES (new.number, new.words); END",
    "CREATE TRIGGER document_removed AFTER DELETE ON documents BEGIN"
    " INSERT INTO document_words(document_words, rowid, words) VALUES ('delete', old.number, old.words); END",
    "CREATE TRIGGER document_changed AFTER UPDATE OF words ON documents BEGIN"
    " INSERT INTO document_words(document_words, rowid, words) VALUES ('delete', old.number, old.words);"
    " INSERT INTO document_words(rowid, words) VALUES (new.number, new.words); END",
)
_POSTGRES = ("CREATE INDEX documents_by_word ON documents USING gin (string_to_array(words, ' '))",)


def upgrade() -> None:
    """Create the table and its index, and write a document for every picture."""
    from visavis.collections.words import write_documents

    op.create_table(
        "documents",
        sa.Column("number", sa.Integer, primary_key=True, autoincrement=True),
        sa.Column(
            "picture_id", sa.String(32), sa.ForeignKey("pictures.id", ondelete="CASCADE"), nullable=False, unique=True
        ),
        sa.Column("words", sa.Text, nullable=False),
    )
    connection = op.get_bind()
    for statement in _SQLITE if connection.dialect.name == "sqlite" else _POSTGRES:
        op.execute(statement)
    with Session(connection) as session:
        ids = list(session.scalars(sa.text("SELECT id FROM pictures ORDER BY id")))
        for at in range(0, len(ids), _BATCH):
            write_documents(session, ids[at : at + _BATCH])
        session.flush()


def downgrade() -> None:
    """Drop them."""
    if op.get_bind().dialect.name == "sqlite":
        for table in ("document_vocabulary", "document_words"):
            op.execute(f"DROP TABLE {table}")
    op.drop_table("documents")
