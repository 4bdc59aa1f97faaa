"""The table of the words that a message is made of which only means something after another."""

from app.agent.rules.languages.language_tables import Pieces, Table


class FollowUp(Table, frozen=True):
    """`followup.toml`: closed classes of words, in small letters without accents.

    `filler` says nothing, a `helper` nothing beside a word of what is wished; `asks` is what a
    question is known by. `no` corrects, `not_` denies, and `bad` says of a day that it does not
    suit; `it` is what was spoken of, `there` the place, `to` stands before what something becomes.
    `later` and `earlier` say which way a length of time goes. `change` is a verb for any change,
    and `only` puts something off; `undo` goes back, and `keep`, or after a correction `leave`, is
    said of what was removed; `delete`, `done`, `tick` (on a list), `pin`, `unpin` and `add` are
    wishes, `tag`, `priority`, `step`, `note`, `folder`, `name` and `due` what they are of. `also`
    wishes the same of more, `count` asks how many, `sent` whether something has gone out; `thanks`
    and `yes` answer. What is `unchanged` stays as it is, as “same time” says; `total` means all of
    it. What is added goes on with what was spoken of where it begins with `that`. A group
    of `reply` is what is to be answered; `on` stands beside the number of a day, which `of_month`
    says with its `{number}`; what has one of `requests` asks politely that something be done, and
    is no question.
    """

    filler: Pieces
    helper: Pieces
    asks: Pieces
    no: Pieces
    not_: Pieces
    bad: Pieces
    it: Pieces
    there: Pieces
    to: Pieces
    later: Pieces
    earlier: Pieces
    change: Pieces
    only: Pieces
    undo: Pieces
    keep: Pieces
    leave: Pieces
    delete: Pieces
    done: Pieces
    pin: Pieces
    unpin: Pieces
    add: Pieces
    tag: Pieces
    priority: Pieces
    step: Pieces
    note: Pieces
    folder: Pieces
    also: Pieces
    count: Pieces
    sent: Pieces
    due: Pieces
    thanks: Pieces
    yes: Pieces
    reply: Pieces
    on: str = ""
    of_month: Pieces = "(?!)"
    that: Pieces = "(?!)"
    unchanged: Pieces = ""
    total: Pieces = ""
    requests: Pieces = "(?!)"
    tick: Pieces = "(?!)"
    name: Pieces = "(?!)"
