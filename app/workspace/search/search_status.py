"""How far search is: what waits to be indexed, and which notes have vectors."""

from app.core.app import App
from app.core.caller import Caller
from app.core.database.tx import Tx
from app.core.operation import operation
from app.core.schema import Record
from app.workspace.folders import workspace_counters
from app.workspace.index import trigram_index
from app.workspace.search.vectors import note_vectors
from app.workspace.search.vectors.note_vectors import Model
from app.workspace.search.vectors.vector_maker import State, VectorMaker


class WordsStatus(Record):
    """How many notes the word index lacks; a search takes them in first, so none is ever missed."""

    waiting: int


class PatternsStatus(Record):
    """How many notes the index of patterns lacks; grep reads those whole."""

    waiting: int


class MeaningStatus(Record):
    """Which model gives notes their vectors and how many have them.

    `reason` says why it is off, paused or failing.

    While another model's vectors are being made, `answering` is the model whose vectors are
    there for every note until then.
    """

    model: str | None
    dimension: int | None
    state: State
    reason: str | None
    notes: int
    notes_indexed: int
    passages: int
    answering: str | None


class SearchStatus(Record):
    """`patterns` is null where the setting `grepIndex` leaves that index out."""

    words: WordsStatus
    patterns: PatternsStatus | None
    meaning: MeaningStatus


@operation("GET /os/search", scope="os.notes:read")
async def search_status(app: App, me: Caller) -> SearchStatus:
    """Show how much of the caller's notes search has indexed.

    How many words, patterns and meanings are still to be indexed.
    """
    return await app.read(_owner_status, app.part(VectorMaker), me.user)


@operation("COMMAND")
async def search_progress(app: App, me: Caller) -> SearchStatus:
    """Show how much of everyone's notes search has indexed."""
    return await app.read(_overall_status, app.part(VectorMaker))


def _owner_status(tx: Tx, meaning: VectorMaker, owner: int) -> SearchStatus:
    words = tx.value(
        """SELECT (SELECT count(*) FROM waiting_words w CROSS
          JOIN notes n ON n.id = w.note_id WHERE n.owner_id = :owner)
                + (SELECT count(*) FROM notes WHERE id <= (SELECT stale_to FROM word_index)
                  AND owner_id = :owner)""",
        owner=owner,
    )
    model = _current_model(tx, meaning)
    done = (0, 0) if model is None else note_vectors.count_current(tx, model, owner)
    return SearchStatus(
        WordsStatus(words),
        _patterns_status(tx, owner),
        _meaning_status(meaning, model, workspace_counters.workspace_counts(tx, owner).notes, done),
    )


def _overall_status(tx: Tx, meaning: VectorMaker) -> SearchStatus:
    words = tx.value(
        "SELECT (SELECT count(*) FROM waiting_words) + (SELECT count(*) FROM notes "
        "WHERE id <= (SELECT stale_to FROM word_index))"
    )
    model = _current_model(tx, meaning)
    done = (0, 0) if model is None else note_vectors.count_current(tx, model, None)
    notes = tx.value("SELECT ifnull(sum(note_count), 0) FROM workspaces")
    return SearchStatus(
        WordsStatus(words), _patterns_status(tx, None), _meaning_status(meaning, model, notes, done)
    )


def _patterns_status(tx: Tx, owner: int | None) -> PatternsStatus | None:
    return PatternsStatus(trigram_index.count_due(tx, owner)) if tx.settings.grep_index else None


def _current_model(tx: Tx, meaning: VectorMaker) -> Model | None:
    """Return the model whose vectors are kept; without a running server the newest that has any."""
    # The command line may ask beside a stopped server, where no task knows a model.
    return meaning.model or next(iter(note_vectors.list_models(tx)), None)


def _meaning_status(
    meaning: VectorMaker, model: Model | None, notes: int, done: tuple[int, int]
) -> MeaningStatus:
    state, reason = meaning.state
    name, dimension = (None, None) if model is None else (model.name, model.dimension)
    answering = meaning.answering.name if meaning.answering is not None else None
    return MeaningStatus(name, dimension, state, reason, notes, *done, answering)
