"""Which embedder the settings ask for."""

from pathlib import Path
from urllib.parse import urlsplit

from app.core.database.data_dir import MODELS
from app.core.embedder import Embedder, NoEmbedder
from app.embedding.known_models import installed_models, joint_id
from app.embedding.local_embedder import LocalEmbedder
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
            settings.embeddings_url,
            model=settings.embeddings_model,
            key=settings.embeddings_key,
            query_prefix=settings.embeddings_query_prefix,
            passage_prefix=settings.embeddings_passage_prefix,
        )
    return LocalEmbedder(models_directory(settings, data))


def former_for(settings: Settings, data: Path, model: str) -> Embedder | None:
    """Return what can still embed a query for an earlier model.

    Those that are installed here, or one at the address that is set; None if neither.
    """
    directory = models_directory(settings, data)
    if joint_id(installed_models(directory, model)) == model:
        return LocalEmbedder(directory, only=model)
    if settings.embeddings_url:
        from app.embedding.remote_embedder import RemoteEmbedder, split_remote_id

        name, prefix = split_remote_id(model)
        return RemoteEmbedder(
            settings.embeddings_url,
            model=name,
            key=settings.embeddings_key,
            query_prefix=settings.embeddings_query_prefix if prefix else "",
            passage_prefix=prefix,
        )
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
