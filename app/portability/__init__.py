"""Notes and todos in and out: export, import, the formats of other programs.

May import all layers below. Begin with `import_export`.
"""

CATEGORY = "workspace"
"""Where the operations of this folder stand in `GET /os`, unless they name another."""
