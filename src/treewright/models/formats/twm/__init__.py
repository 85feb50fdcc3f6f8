"""The native file of a model."""

from treewright.models.formats.twm.document import (
    from_bytes,
    from_source,
    load,
    read_certificate,
    read_provenance,
    save,
    to_bytes,
)
