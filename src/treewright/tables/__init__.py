"""Say what the columns are and hand out rows in blocks."""

from treewright.tables.schema import Label, NameOrIndex, Schema, Scope, Variable

__all__ = ["Label", "NameOrIndex", "Schema", "Scope", "Variable"]
