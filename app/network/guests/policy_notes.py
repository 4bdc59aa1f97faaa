"""The policy of a share link.

An ordinary note of its owner's, whose section "Policy" the agent is told when it answers a guest
of that link.
"""

import re

from app.agent.memory import identity
from app.agent.memory.persona import HEAD, MESSAGES_ONLY
from app.core.database.tx import Tx
from app.core.markdown import blocks
from app.core.schema import TITLE_MOST
from app.network.grants.share_rows import Link
from app.workspace.folders import folder_rows
from app.workspace.notes import note_rows

FOLDERS = ("Workspace", "links")
UNLABELLED = "Link"
LONGEST = 10_000
USUAL = (
    "Answer what guests ask about what this link opens, kindly and briefly. Say so "
    "when you do not know."
)
ABOUT = "What holds for guests of this link"
GUEST = (
    "The one who writes to you is a guest who came by a share link, not the owner; "
    "answer them in the owner's place."
)
_HASHES = re.compile(r"#+[ \t]*\Z")


def make_note(tx: Tx, link: Link, policy: str | None) -> int:
    """Make the note that holds a link's policy and return its id."""
    folder, _ = folder_rows.ensure(tx, link.owner, None, FOLDERS)
    heading = link.label or UNLABELLED
    section = _with_low_headings((policy or "").strip()) or USUAL
    text = note_rows.measure_text(f"# {heading}\n\n## Policy\n\n{section}\n", field="linkPolicy")
    return note_rows.insert(
        tx, owner=link.owner, folder_id=folder, title=note_title(link), text=text
    )


def note_title(link: Link) -> str:
    """Return the title of a link's policy note: its label, with dashes for spaces, and its
    token."""
    label = "-".join((link.label or UNLABELLED).split())
    return f"{label[: TITLE_MOST - len(link.token) - 1]}_{link.token}"


def note_of(tx: Tx, link: Link) -> int | None:
    """Return the id of a link's policy note; None when it was deleted."""
    row = tx.one(
        "SELECT id FROM notes WHERE id = :id AND owner_id = :owner AND trash_id IS NULL",
        id=link.policy_note_id,
        owner=link.owner,
    )
    return None if row is None else int(row["id"])


def agent_instructions(tx: Tx, link: Link) -> str:
    """Return what the agent is told when it answers a guest of a link.

    The owner's own words, as far as the link says, then its policy.
    """
    words = identity.chosen_words(tx, link.owner, link.terms.identity.titles) or HEAD
    parts = [words, f"\n\n## {ABOUT}\n{GUEST}"]
    if policy := _read_policy(tx, link):
        parts.append(f"\n{policy}")
    # Without a model nobody can obey those rules, and such a link opens everything: quotes could
    # give away what they forbid, so the agent then only takes messages.
    if link.terms.scope == "all" and has_own_rules(tx, link):
        parts.append(f"\n{MESSAGES_ONLY}")
    return "".join(parts)


def has_own_rules(tx: Tx, link: Link) -> bool:
    """Return whether a link's policy has rules of its own, which only a language model can obey."""
    return " ".join(_read_policy(tx, link).split()) not in ("", USUAL)


def _read_policy(tx: Tx, link: Link) -> str:
    """Return the text of a policy note's section; without that heading all of it, so that no rule
    is lost.
    """
    content: str | None = tx.value(
        "SELECT substr(content, 1, :most) FROM notes "
        "WHERE id = :id AND owner_id = :owner AND trash_id IS NULL",
        id=link.policy_note_id,
        owner=link.owner,
        # The section may begin late in the note; more than this is never a policy that people
        # wrote.
        most=4 * LONGEST,
    )
    return identity.cut_lines(_policy_section(content or ""), LONGEST)


def _with_low_headings(policy: str) -> str:
    """Return a policy whose headings are of the third level and below.

    A higher one would end the section.
    """
    # From the end, so that the places of the headings before stay right.
    for line in reversed(blocks.headings(policy)):
        if line.level < 3 and line.depth == 0:
            policy = (
                policy[: line.start]
                + _HASHES.sub("### ", policy[line.start : line.inner])
                + policy[line.inner :]
            )
    return policy


def _policy_section(content: str) -> str:
    """Return what stands below the heading "Policy", up to the next one of its level or above.

    The whole text without that heading.
    """
    begun: int | None = None
    for line in (heading for heading in blocks.headings(content) if heading.depth == 0):
        if begun is not None and line.level < 3:
            return content[begun : line.start]
        if (
            begun is None
            and line.level == 2
            and content[line.inner : line.end].strip(" \t\r#").casefold() == "policy"
        ):
            begun = line.end + 1
    return content if begun is None else content[begun:]
