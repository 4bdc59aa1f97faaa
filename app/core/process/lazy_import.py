"""Modules that are imported when first needed, since most runs never need them."""

import asyncio
import importlib
from types import ModuleType

# sys.modules would not do: it holds a module from the moment its import begins
_loaded: dict[str, ModuleType] = {}


async def lazy_import(name: str) -> ModuleType:
    """Return a module that takes long to import.

    The first time a thread does it, so that everyone else is served meanwhile.
    """
    if name not in _loaded:
        _loaded[name] = await asyncio.to_thread(importlib.import_module, name)
    return _loaded[name]
