"""Tables that people keep: CSV, Parquet and data frames as matrices, and models that take them."""

from .columns import Columns
from .model import TableModel, spread
from .table import Table, TableError, as_table

__all__ = ["Columns", "Table", "TableError", "TableModel", "as_table", "spread"]
