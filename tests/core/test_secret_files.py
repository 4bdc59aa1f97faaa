"""The key by which secrets are sealed: made once, and never replaced."""

import errno
from pathlib import Path

import pytest

from app.core.database.data_dir import SEALING_KEY
from app.core.secret_files import Seal, SealBroken
from app.errors import Unavailable
from tests.support.sealing import unreadable_key


def test_what_was_sealed_opens_again_for_the_same_purpose_alone(tmp_path: Path) -> None:
    sealed = Seal(tmp_path).seal("a secret", "a webhook")
    assert Seal(tmp_path).open(sealed, "a webhook") == "a secret"
    with pytest.raises(SealBroken):
        Seal(tmp_path).open(sealed, "a login")


@pytest.mark.parametrize("reason", [errno.EMFILE, errno.EIO, errno.EACCES])
def test_a_key_that_cannot_be_read_for_a_while_is_not_replaced(tmp_path: Path, reason: int) -> None:
    seal = Seal(tmp_path)
    sealed = seal.seal("a secret", "a webhook")
    with unreadable_key(seal, reason):
        for ask in (lambda: seal.seal("another", "a webhook"), lambda: seal.open(sealed, "")):
            with pytest.raises(Unavailable, match="sealing-key of the data directory cannot be"):
                ask()
    assert Seal(tmp_path).open(sealed, "a webhook") == "a secret"


@pytest.mark.parametrize("held", [b"", b"00" * 31, b"no key at all", b"\xff" * 64])
def test_a_file_that_holds_no_key_is_left_as_it_is(tmp_path: Path, held: bytes) -> None:
    (tmp_path / SEALING_KEY).write_bytes(held)
    with pytest.raises(Unavailable, match="it holds no key"):
        Seal(tmp_path).seal("a secret", "a webhook")
    assert (tmp_path / SEALING_KEY).read_bytes() == held


def test_without_a_key_nothing_opens_and_a_new_one_is_made_to_seal(tmp_path: Path) -> None:
    with pytest.raises(SealBroken):
        Seal(tmp_path).open(b"x" * 40, "a webhook")
    Seal(tmp_path).seal("a secret", "a webhook")
    assert len((tmp_path / SEALING_KEY).read_text()) == 64
