"""The feature modules whose operations make up the service."""

from app.account import contacts, grants, keys, users
from app.core.operation import Catalog
from app.interfaces import openapi
from app.workspace import home

CATALOG = Catalog([home, users, keys, grants, contacts, openapi])
