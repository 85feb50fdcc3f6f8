"""Say what the columns are and hand out rows in blocks."""

from treewright.tables._reading.database_reader import read_databases
from treewright.tables.align import align_schemas
from treewright.tables.databases import Databases
from treewright.tables.features import Feature, Literal
from treewright.tables.inspection.whole import inspect_table
from treewright.tables.mapped_table import open_table
from treewright.tables.packing import pack
from treewright.tables.raw_form import RawForm
from treewright.tables.readers import read_table
from treewright.tables.report import ColumnReport, Finding, Mending, Report
from treewright.tables.schema import Label, NameOrIndex, Schema, Variable
from treewright.tables.sharded import ShardedTable
from treewright.tables.sql import SqlTable
from treewright.tables.table import Table
from treewright.types import Scope
