"""Alembic's entry point: migrates over the connection from ``visavis.collections.database``."""

from __future__ import annotations

from alembic import context
from sqlalchemy import text

from visavis.collections.database import CatalogueBase

connection = context.config.attributes["connection"]
if connection.dialect.name == "postgresql":
    schema = connection.execute(text("SELECT current_setting('search_path')")).scalar()
    connection.execute(text(f'CREATE SCHEMA IF NOT EXISTS "{schema}"'))
    connection.commit()
context.configure(connection=connection, target_metadata=CatalogueBase.metadata, render_as_batch=True)
with context.begin_transaction():
    context.run_migrations()
