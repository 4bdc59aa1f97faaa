"""Shapes: what a request may hold, how it is refused, and how records go out."""

from collections.abc import Iterator
from typing import Annotated, Any, Literal

import jsonschema_rs
import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import UNSET, Meta, UnsetType

from app.catalog import CATALOG
from app.core.json_body import DEEPEST, decode
from app.core.schema import (
    LARGEST_ID,
    Body,
    Fields,
    Id,
    Line,
    Most,
    Offset,
    Record,
    Tags,
    Text,
    Title,
    camel_case,
    encode,
    schemas,
)
from app.core.schema_errors import WANTED, explain_error
from app.errors import Invalid, Malformed
from app.raw_memory.record_checks import GivenRecord


class Step(Body):
    """A record inside a request, with a rule of its own."""

    step_title: Title
    done: bool = False
    count: int = 0


def toy(
    tx: None,
    me: None,
    *,
    title: Title,
    note_id: Id | None = None,
    limit: Annotated[int, Meta(ge=1), Most(200)] = 50,
    offset: Offset = 0,
    pinned: bool = False,
    mode: Literal["literal", "regex"] = "literal",
    body_text: Annotated[str, Text(10)] | None = None,
    label: str | UnsetType | None = UNSET,
    steps: list[Step] | None = None,
    by_name: dict[str, int] | None = None,
    share: float | None = None,
    to: Id | None,
) -> None:
    """Take one of every kind."""


FIELDS = Fields(toy)
LEAST = {"title": "x", "to": None}


def refused(given: dict[str, Any]) -> tuple[str, str | None]:
    with pytest.raises(Invalid) as error:
        FIELDS.check({**LEAST, **given})
    return error.value.message, error.value.details.get("field")


def test_what_is_not_given_has_its_default() -> None:
    assert FIELDS.check(LEAST) == {
        "title": "x",
        "note_id": None,
        "limit": 50,
        "offset": 0,
        "pinned": False,
        "mode": "literal",
        "body_text": None,
        "label": UNSET,
        "steps": None,
        "by_name": None,
        "share": None,
        "to": None,
    }


def test_names_are_in_camel_case_on_the_wire_and_unknown_ones_are_ignored() -> None:
    given = FIELDS.check(
        {
            **LEAST,
            "noteId": 7,
            "bodyText": "b",
            "note_id": 8,
            "unknown": [1],
            "steps": [{"stepTitle": " s ", "more": 1}],
        }
    )
    assert (given["note_id"], given["body_text"]) == (7, "b")
    assert given["steps"] == [Step(step_title="s")]


@pytest.mark.parametrize(
    ("name", "wire"),
    [
        ("id", "id"),
        ("note_id", "noteId"),
        ("a_b_c", "aBC"),
        ("from_", "from"),
        ("if_revision", "ifRevision"),
    ],
)
def test_a_python_name_has_one_spelling_on_the_wire(name: str, wire: str) -> None:
    assert camel_case(name) == wire


@pytest.mark.parametrize(
    "field", ["noteId", "limit", "offset", "pinned", "mode", "bodyText", "steps"]
)
def test_null_is_the_same_as_leaving_an_optional_field_out(field: str) -> None:
    assert FIELDS.check({**LEAST, field: None}) == FIELDS.check(LEAST)


def test_null_means_something_where_the_contract_says_so() -> None:
    assert FIELDS.check({**LEAST, "label": None})["label"] is None
    assert FIELDS.check(LEAST)["label"] is UNSET


@pytest.mark.parametrize(
    ("given", "field", "message"),
    [
        ({"title": 5}, "title", "title must be a string, not an integer."),
        ({"title": None}, "title", "title must be a string, not null."),
        ({"title": ""}, "title", "title must have 1 to 255 characters."),
        ({"title": "   "}, "title", "title must have 1 to 255 characters."),
        ({"title": "x" * 256}, "title", "title must have 1 to 255 characters."),
        ({"title": "a\nb"}, "title", "title must not hold control characters or line breaks."),
        ({"noteId": "7"}, "noteId", "noteId must be an integer or null, not a string."),
        ({"noteId": 0}, "noteId", "noteId must be at least 1."),
        ({"noteId": LARGEST_ID + 1}, "noteId", f"noteId must be at most {LARGEST_ID}."),
        ({"noteId": 10**400}, "noteId", None),
        ({"noteId": 1.5}, "noteId", None),
        ({"limit": 0}, "limit", "limit must be at least 1."),
        ({"offset": -1}, "offset", "offset must be at least 0."),
        ({"pinned": "true"}, "pinned", "pinned must be true or false, not a string."),
        ({"pinned": 1}, "pinned", "pinned must be true or false, not an integer."),
        ({"mode": "fuzzy"}, "mode", "mode must be one of literal, regex."),
        ({"mode": 5}, "mode", None),
        ({"bodyText": "x" * 11}, "bodyText", "bodyText must have at most 10 characters."),
        ({"bodyText": "a\0b"}, "bodyText", "bodyText must not hold a NUL character."),
        ({"steps": {}}, "steps", "steps must be a list or null, not an object."),
        ({"steps": [5]}, "steps[0]", "steps[0] must be an object, not an integer."),
        ({"steps": [{}]}, "steps[0].stepTitle", None),
        (
            {"steps": [{"stepTitle": "ok"}, {"stepTitle": " "}]},
            "steps[1].stepTitle",
            "steps[1].stepTitle must have 1 to 255 characters.",
        ),
    ],
)
def test_a_wrong_field_is_named_in_a_sentence(
    given: dict[str, Any], field: str, message: str | None
) -> None:
    said, named = refused(given)
    assert named == field
    assert said.startswith(f"{field} ")
    assert said.endswith(".")
    assert message in (None, said)


@pytest.mark.parametrize(("pattern", "wanted"), WANTED.items())
def test_a_field_with_a_pattern_says_what_it_wants(pattern: str, wanted: str) -> None:
    shape = msgspec.defstruct("Shape", [("hash", Annotated[str, Meta(pattern=pattern)])])
    with pytest.raises(msgspec.ValidationError) as failed:
        msgspec.convert({"hash": "\n"}, shape)
    assert explain_error(str(failed.value), {}).message == f"hash must be {wanted}."


def test_each_pattern_of_a_request_has_words() -> None:
    read = {one.name: one.fields.record for one in CATALOG.operations.values()}
    # what is uploaded is read record by record
    read["upload_records"] = GivenRecord
    _, named = msgspec.json.schema_components(read.values(), ref_template="{name}")
    assert set(patterns_in(named)) == WANTED.keys()


def patterns_in(schema: Any) -> Iterator[str]:
    if isinstance(schema, list):
        for each in schema:
            yield from patterns_in(each)
    if isinstance(schema, dict):
        for name, value in schema.items():
            is_pattern = name == "pattern" and isinstance(value, str)
            yield from [value] if is_pattern else patterns_in(value)


def bounded(
    tx: None,
    me: None,
    *,
    word: Annotated[str, Meta(min_length=1, max_length=2)] = "x",
    parts: Annotated[list[int], Meta(min_length=2, max_length=4)],
) -> None:
    """Take a text and a list of so much."""


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"word": ""}, "word must not be empty."),
        ({"word": "xxx"}, "word must have at most 2 characters."),
        ({"parts": [1]}, "parts must have at least 2 items."),
        ({"parts": [1] * 5}, "parts must have at most 4 items."),
    ],
)
def test_a_text_or_list_of_another_length_is_named_in_a_sentence(
    given: dict[str, Any], message: str
) -> None:
    with pytest.raises(Invalid) as error:
        Fields(bounded).check({"parts": [1, 2], **given})
    assert error.value.message == message


@pytest.mark.parametrize("name", ["title", "to"])
def test_a_required_field_that_is_missing_is_named(name: str) -> None:
    with pytest.raises(Invalid, match=f"{name} is required") as error:
        FIELDS.check({key: value for key, value in LEAST.items() if key != name})
    assert error.value.details == {"field": name}


@pytest.mark.parametrize(
    ("given", "taken"), [(1, 1), (200, 200), (201, 200), (2**53 - 1, 200), (2**63, 200)]
)
def test_a_limit_above_its_maximum_is_the_maximum(given: int, taken: int) -> None:
    assert FIELDS.check({**LEAST, "limit": given})["limit"] == taken


@pytest.mark.parametrize(
    ("sent", "kept"),
    [
        (" a ", "a"),
        ("\u00a0a\u3000", "a"),
        ("e\u0301", "\u00e9"),
        ("x" * 255, "x" * 255),
        (" " * 9 + "x" * 255, "x" * 255),
        ("👩‍👩‍👧", "👩‍👩‍👧"),
        ("a\u00adb", "a\u00adb"),
    ],
)
def test_a_title_is_trimmed_and_normalised(sent: str, kept: str) -> None:
    assert Line()(sent) == kept


@pytest.mark.parametrize(
    "mark", ["\0", "\t", "\n", "\r", "\x1b", "\x7f", "\x85", "\u2028", "\u2029"]
)
def test_a_title_holds_no_control_characters(mark: str) -> None:
    with pytest.raises(ValueError, match="control"):
        Line()(f"a{mark}b")


@pytest.mark.parametrize(
    "name",
    [
        "\u202e",
        "\u200b",
        "\u200b\u200d \u2060",
        "\ufeff",
        "\u00ad",
        "\u3164",
        "\u2800",
        "\ufe0f",
        "\U000e0041",
    ],
)
@pytest.mark.parametrize("least", [0, 1])
def test_a_title_holds_something_that_can_be_seen(name: str, least: int) -> None:
    with pytest.raises(ValueError, match="can be seen"):
        Line(least)(name)
    assert Line(least)(f"{name}a")


@settings(max_examples=100, derandomize=True, deadline=None)
@given(st.text(max_size=300))
def test_a_line_is_either_refused_or_stable(text: str) -> None:
    try:
        once = Line()(text)
    except ValueError:
        return
    assert Line()(once) == once
    assert 1 <= len(once) <= 255


anything = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(max_size=20),
    st.just([1]),
    st.just([{}]),
    st.just({}),
)


@settings(max_examples=100, derandomize=True, deadline=None)
@given(st.dictionaries(st.sampled_from([*FIELDS.wire_names.values(), "other"]), anything))
def test_any_object_is_either_taken_or_refused_by_name(sent: dict[str, Any]) -> None:
    trouble = None
    try:
        assert set(FIELDS.check(sent)) == set(FIELDS.names)
    except Invalid as error:
        trouble = error
    assert trouble is None or trouble.details["field"] in trouble.message


@pytest.mark.parametrize(
    ("field", "sent", "taken"),
    [
        ("noteId", 3.0, 3),
        ("limit", 1e2, 100),
        ("to", 2.0, 2),
        ("steps", [{"stepTitle": "a", "count": 4.0}], [Step("a", count=4)]),
        ("mode", None, "literal"),
        ("byName", {"a": 1.0}, {"a": 1}),
        ("share", 2.0, 2.0),
    ],
)
def test_a_whole_number_may_be_written_with_a_point(field: str, sent: Any, taken: Any) -> None:
    given = FIELDS.check({**LEAST, field: sent})
    assert next(given[name] for name, wire in FIELDS.wire_names.items() if wire == field) == taken


@pytest.mark.parametrize("value", [3.5, 1e300, -2.0])
def test_a_number_that_is_not_whole_or_out_of_range_is_refused(value: float) -> None:
    assert refused({"noteId": value})[1] == "noteId"


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ({"noteId": "007"}, {"noteId": 7}),
        ({"pinned": "1"}, {"pinned": True}),
        ({"pinned": "false"}, {"pinned": False}),
        ({"title": "5"}, {"title": "5"}),
    ],
)
def test_texts_of_a_query_are_read_by_the_type_of_their_field(
    text: dict[str, str], value: dict[str, Any]
) -> None:
    assert FIELDS.from_text({**text, "unknown": "x"}) == value


@pytest.mark.parametrize(
    "text", ["", " ", "x", "1.5", "1e3", "0x10", "１", "+1", "1_000", "9" * 1001, "-", "--1"]
)
def test_a_text_that_is_no_integer_is_refused(text: str) -> None:
    with pytest.raises(Invalid) as error:
        FIELDS.from_text({"noteId": text})
    assert error.value.details == {"field": "noteId"}


@pytest.mark.parametrize("text", ["", "True", "yes", "on", "2", "null"])
def test_a_text_that_is_no_boolean_is_refused(text: str) -> None:
    with pytest.raises(Invalid) as error:
        FIELDS.from_text({"pinned": text})
    assert error.value.details == {"field": "pinned"}


@pytest.mark.parametrize("body", [b"", b" ", b"\r\n\t ", b"{}"])
def test_an_empty_body_is_an_empty_object(body: bytes) -> None:
    assert decode(body) == {}


@pytest.mark.parametrize(
    ("levels", "fits"),
    [(1, True), (DEEPEST, True), (DEEPEST + 1, False), (1_000, False), (100_000, False)],
)
@pytest.mark.parametrize("closed", [True, False])
def test_a_body_nests_at_most_64_levels(levels: int, fits: bool, closed: bool) -> None:
    body = b'{"a":' + b"[" * (levels - 1) + b"]" * (levels - 1) + b"}" if levels > 1 else b"{}"
    if fits and closed:
        assert isinstance(decode(body), dict)
    else:
        with pytest.raises(Malformed):
            decode(body if closed else body[:-1])


def test_brackets_inside_a_text_are_no_levels() -> None:
    assert decode(encode({"content": "[" * 10_000 + '"\\' * 9}))["content"].startswith("[[")
    assert decode(encode({"links": ["[a](b)"] * 1_000, "more": [{}] * 1_000}))["more"][0] == {}


class Sent(Record):
    note_id: int
    tags: Tags


def test_a_record_goes_out_in_camel_case_and_stored_json_as_it_is() -> None:
    assert encode(Sent(3, msgspec.Raw(b'["a","b"]'))) == b'{"noteId":3,"tags":["a","b"]}'


def test_the_schemas_of_a_request_and_an_answer_say_what_they_take() -> None:
    (request, answer), named = schemas([FIELDS.record, Sent], "#/$defs/")
    document = {**request, "$defs": named}
    jsonschema_rs.meta.validate(
        {"$schema": "https://json-schema.org/draft/2020-12/schema", **document}
    )
    check = jsonschema_rs.validator_for(document)
    assert check.is_valid({"title": "x", "to": 1, "steps": [{"stepTitle": "a"}], "mode": "regex"})
    assert not check.is_valid({"title": "x"})
    assert not check.is_valid({"title": "x", "to": 1, "mode": "fuzzy"})
    assert jsonschema_rs.is_valid({**answer, "$defs": named}, {"noteId": 1, "tags": ["a"]})
