"""The primitives against the vectors of their standards, and codes that people read and type."""

import hashlib
import secrets

import pytest
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.bindings._rust import openssl
from cryptography.hazmat.primitives import hpke
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey
from cryptography.hazmat.primitives.keywrap import aes_key_unwrap, aes_key_wrap
from hypothesis import given
from hypothesis import strategies as st

from app.core.random_tokens import TYPED_ALPHABET
from app.vault import primitives
from app.vault.encoding import decode_base64url, encode_base64url
from app.vault.envelope import RecordLabel, is_signed, signed_text
from app.vault.fingerprints import device_fingerprint, is_same
from app.vault.primitives import NotAuthentic
from app.vault.recovery_code import BadCode, new_recovery_code, read_code, spell_code
from tests.vault import hpke_by_hand

ODE = bytes.fromhex("4f6465206f6e2061204772656369616e2055726e")
"""The `info` of all vectors of RFC 9180."""


def test_hpke_with_x25519_is_that_of_rfc_9180_appendix_a_1() -> None:
    suite = hpke.Suite(hpke.KEM.X25519, hpke.KDF.HKDF_SHA256, hpke.AEAD.AES_128_GCM)
    private = X25519PrivateKey.from_private_bytes(
        bytes.fromhex("4612c550263fc8ad58375df3f557aac531d26850903e55a9f23f21d8534e8ac8")
    )
    enc = "37fda3567bdbd628e88668c3c8d7e97d1d1253b6d4ea6d44c150f741f1bf4431"
    # sealed with the additional data "Count-0", which the public interface does not take
    sealed = (
        "f938558b5d72f1a23810b4be2ab4f84331acc02fc97babc53a52ae8218a355a96d8770ac83d07bea87e13c512a"
    )
    with pytest.raises(InvalidTag):
        suite.decrypt(bytes.fromhex(enc + sealed), private, ODE)
    opened = openssl.hpke._decrypt_with_aad(
        suite, bytes.fromhex(enc + sealed), private, ODE, b"Count-0"
    )
    assert opened == b"Beauty is truth, truth beauty"


def test_hpke_by_hand_is_that_of_the_standards_vector_for_this_suite() -> None:
    # of 1,000 texts that SHAKE128 gives, the digest of what they are sealed to
    material = bytes.fromhex("2cd7c601cefb3d42a62b04b7a9041494c06c7843818e0ce28a8f704ae7ab20f9")
    public = bytes.fromhex("430f4b9859665145a6b1ba274024487bd66f03a2dd577d7753c68d7d7d00c00c")
    sender = hpke_by_hand.Sender(hpke_by_hand.derive_private_key(material), public, ODE)
    assert sender.enc.hex() == "6c93e09869df3402d7bf231bf540fadd35cd56be14f97178f0954db94b7fc256"
    stream, at, digest = hashlib.shake_128().digest(1_000 * 512), 0, hashlib.shake_128()

    def drawn() -> bytes:
        nonlocal at
        length = stream[at]
        found = stream[at + 1 : at + 1 + length]
        at += 1 + length
        return found

    for _ in range(1_000):
        aad, text = drawn(), drawn()
        digest.update(sender.seal(text, aad))
    assert digest.hexdigest(16) == "1702e73e1e71705faa8241022af1deea"


def test_what_is_sealed_by_hand_opens_and_the_other_way_round() -> None:
    private = bytes.fromhex("497b4502664cfea5d5af0b39934dac72242a74f8480451e1aee7d6a53320333d")
    public = X25519PrivateKey.from_private_bytes(private).public_key().public_bytes_raw()
    sender = hpke_by_hand.Sender(secrets.token_bytes(32), public)
    assert primitives.open_sealed(private, sender.enc, sender.seal(b"a key")) == b"a key"
    enc, sealed = primitives.seal_to(public, b"k" * 32)
    assert (len(enc), len(sealed)) == (32, 48)
    assert primitives.open_sealed(private, enc, sealed) == b"k" * 32
    for spoilt in (sealed[:-1] + bytes([sealed[-1] ^ 1]), sealed[:-1], b""):
        with pytest.raises(NotAuthentic):
            primitives.open_sealed(private, enc, spoilt)
    with pytest.raises(NotAuthentic):
        primitives.seal_to(bytes(32), b"k" * 32)


def test_a_key_is_wrapped_as_rfc_3394_says() -> None:
    # section 4.6: 256 bits of key data with a 256-bit key
    wrapping = bytes(range(32))
    key = bytes.fromhex("00112233445566778899aabbccddeeff000102030405060708090a0b0c0d0e0f")
    wrapped = "28c9f404c4b810f4cbccb35cfb87f8263f5786e2d80ed326cbc7f0e71a99f43bfb988b9b7a02dd21"
    assert primitives.wrap_key(wrapping, key).hex() == wrapped
    assert primitives.unwrap_key(wrapping, bytes.fromhex(wrapped)) == key
    # section 4.1, and that no other length passes for a key
    short = bytes.fromhex("1fa68b0a8112b447aef34bd8fb5a7b829d3e862371d2cfe5")
    assert aes_key_wrap(bytes(range(16)), key[:16]) == short
    assert aes_key_unwrap(bytes(range(16)), short) == key[:16]
    for other in (b"", short, bytes(40), bytes.fromhex(wrapped)[:-1]):
        with pytest.raises(NotAuthentic):
            primitives.unwrap_key(wrapping, other)


@pytest.mark.parametrize(
    ("private", "public", "text", "signature"),
    [
        (
            "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
            "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
            "",
            "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b",
        ),
        (
            "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb",
            "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c",
            "72",
            "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00",
        ),
    ],
)
def test_signatures_are_those_of_rfc_8032(
    private: str, public: str, text: str, signature: str
) -> None:
    made = primitives.sign(bytes.fromhex(private), bytes.fromhex(text))
    assert made.hex() == signature
    key = bytes.fromhex(public)
    assert is_signed(key, made, bytes.fromhex(text))
    assert not is_signed(key, made, b"another text")
    assert not is_signed(key, made[:-1] + b"\1", bytes.fromhex(text))
    assert not is_signed(bytes(31), made, b"")


def test_the_label_and_the_signed_text_are_spelled_as_the_contract_says() -> None:
    label = RecordLabel("u", "dev_1", "r", 7, "2026-11-21T09:30:00.000Z", "k")
    assert label.text == b"hearth-raw-v1\nu\ndev_1\nr\n7\n2026-11-21T09:30:00.000Z\nk"
    digest = hashlib.sha256(b"sealed").digest()
    assert signed_text(label, b"\xff" * 12, b"sealed", b"\0" * 40) == b"\n".join(
        [label.text, b"_" * 16, encode_base64url(digest).encode(), b"A" * 54]
    )


@given(st.binary(max_size=40))
def test_bytes_have_one_spelling(raw: bytes) -> None:
    text = encode_base64url(raw)
    assert decode_base64url(text) == raw
    assert set(text) <= set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")


@given(st.text(alphabet="AQgw-_=+/ \né", max_size=12))
def test_no_other_spelling_is_read(text: str) -> None:
    try:
        raw = decode_base64url(text)
    except ValueError:
        return
    assert encode_base64url(raw) == text


def test_a_recovery_code_is_read_however_it_is_typed() -> None:
    code = new_recovery_code()
    text = spell_code(code)
    assert [len(group) for group in text.split("-")] == [6] * 6
    for typed in (text, text.lower(), text.replace("-", ""), f"  {text.replace('-', ' ')}\n"):
        assert read_code(typed) == code
    assert read_code(text.replace("0", "O").replace("1", "l")) == code


@given(st.binary(min_size=20, max_size=20), st.integers(0, 35), st.sampled_from(TYPED_ALPHABET))
def test_a_mistyped_recovery_code_is_noticed(code: bytes, place: int, letter: str) -> None:
    text = spell_code(code).replace("-", "")
    typed = text[:place] + letter + text[place + 1 :]
    if typed == text:
        assert read_code(typed) == code
    else:
        # one in a million of other mistakes fits by chance; one letter hardly ever
        with pytest.raises(BadCode):
            read_code(typed)


@pytest.mark.parametrize("typed", ["", "abc", "U" * 36, "0" * 35, "0" * 37, "é" * 36])
def test_what_is_no_recovery_code_is_told(typed: str) -> None:
    with pytest.raises(BadCode):
        read_code(typed)


def test_a_recovery_code_and_salt_make_one_key() -> None:
    code = bytes(20)
    first = primitives.recovery_key(code, b"s" * 32)
    assert first == primitives.recovery_key(code, b"s" * 32)
    assert first != primitives.recovery_key(code, b"t" * 32)
    assert len(first) == 32


def test_fingerprints_tell_keys_apart_and_are_compared_as_typed() -> None:
    keys = [encode_base64url(bytes([number]) * 32) for number in range(3)]
    found = {device_fingerprint(one, other) for one in keys for other in keys}
    assert len(found) == 9
    fingerprint = found.pop()
    assert [len(group) for group in fingerprint.split("-")] == [4] * 6
    assert is_same(fingerprint.lower().replace("-", " "), fingerprint)
    assert not is_same(found.pop(), fingerprint)
    assert not is_same("", fingerprint)
