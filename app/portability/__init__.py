"""Notes in and out: export, import and the formats of other programs."""
