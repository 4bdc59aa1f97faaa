"""Modules that are loaded when they are first wanted, since most starts of the server never come
to need them.
"""

import asyncio
import importlib
from types import ModuleType

_loaded: dict[str, ModuleType] = {}


async def loaded(name: str) -> ModuleType:
    """Give a module that takes long to import.

    The first time a thread does it, so that everyone else is served meanwhile.
    """
    if name not in _loaded:
        _loaded[name] = await asyncio.to_thread(importlib.import_module, name)
    return _loaded[name]
