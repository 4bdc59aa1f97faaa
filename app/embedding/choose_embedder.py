"""Which embedder the settings ask for."""

from pathlib import Path
from urllib.parse import urlsplit

from app.core.database.data_dir import MODELS
from app.core.embedder import Embedder, NoEmbedder
from app.embedding.local_embedder import LocalEmbedder
from app.embedding.model_file import FILE, MODEL
from app.settings import Settings, SettingsError

SWITCHED_OFF = "Vectors are switched off by HEARTH_EMBEDDINGS, so only words are searched."


def embedder_for(settings: Settings, data: Path) -> Embedder:
    """Return the embedder; it does nothing before it is asked.

    Raises SettingsError where the settings do not fit together.
    """
    if settings.embeddings == "off":
        return NoEmbedder(SWITCHED_OFF)
    if settings.embeddings_url:
        _check_settings(settings)
        from app.embedding.remote_embedder import RemoteEmbedder

        return RemoteEmbedder(
            settings.embeddings_url, model=settings.embeddings_model, key=settings.embeddings_key
        )
    return LocalEmbedder(models_directory(settings, data) / FILE)


def former_for(settings: Settings, data: Path, model: str) -> Embedder | None:
    """Return what can still embed a query for an earlier model.

    The one that is installed here, or one at the address that is set; None if neither.
    """
    if model == MODEL:
        installed = LocalEmbedder(models_directory(settings, data) / FILE)
        return None if installed.model is None else installed
    if settings.embeddings_url:
        from app.embedding.remote_embedder import RemoteEmbedder

        return RemoteEmbedder(settings.embeddings_url, model=model, key=settings.embeddings_key)
    return None


def models_directory(settings: Settings, data: Path) -> Path:
    """Return the directory of models: the one that is set, else `models` in the data directory."""
    return settings.models.expanduser().absolute() if settings.models else data / MODELS


def _check_settings(settings: Settings) -> None:
    where = urlsplit(settings.embeddings_url)
    if where.scheme not in ("http", "https") or not where.hostname:
        raise SettingsError(
            "HEARTH_EMBEDDINGS_URL: must be an address that begins with http:// or https://"
        )
    if where.username or where.password:
        raise SettingsError(
            "HEARTH_EMBEDDINGS_URL: must hold no password; HEARTH_EMBEDDINGS_KEY is the "
            "place for a secret"
        )
    if not settings.embeddings_model:
        raise SettingsError(
            "HEARTH_EMBEDDINGS_MODEL: must name the model that HEARTH_EMBEDDINGS_URL shall use"
        )
