"""The sections of the report, one file each: rows in, tables out."""
