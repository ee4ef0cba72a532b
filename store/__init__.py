"""PostgreSQL: the only place with SQL on LPS's own tables."""
