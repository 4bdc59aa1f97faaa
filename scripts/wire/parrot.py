"""Write a tiny language model that says what it was told to say.

`python parrot.py FILE` makes a GGUF file that llama.cpp runs like any other.

The model is a genuine one of the llama architecture, with one layer that adds nothing. Its texts
are cut into pieces that occur only once, each piece is a token, and the weights lead from each
token to the one that follows it. Its chat template begins the answer with the mark of the text
to say: the one that the user's last message asks for by `play NAME`, or the closing words once
tools have answered. So the wire (streamed deltas, tool calls in fragments, usage, grammars,
errors) is the server's own, and only the words are known in advance.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any, NamedTuple

WIDTH = 96
WINDOW = 40_960
SHORTEST = 3
SEED = 20_261_121
END = "<|im_end|>"
CONTROL = ("<|endoftext|>", "<|im_start|>", END)
RUNS = (
    "ww",
    "wwww",
    # long runs of this letter cost as little as words do elsewhere; any other letter is a token of
    # its
    # own
)
SURE = 5.0  # how much nearer the successor is than anything else; high enough for every temperature
GREETING, CLOSING, ENDLESS = "greeting", "closing", "endless"


def asked(tool: str, **arguments: Any) -> str:
    """Return the words by which models of this family call a tool."""
    return f"<tool_call>\n{json.dumps({'name': tool, 'arguments': arguments})}\n</tool_call>"


TEXTS = {
    GREETING: "Good day! I am a very small model, and these few words are all that I know by "
    "heart.",
    CLOSING: "The workspace has answered, so here is what it holds, and with that my part is done.",
    "search": asked("search_notes", query="lighthouse"),
    "both": asked("search_notes", query="harbour") + "\n" + asked("search_todos", q="rope"),
    "wrong": asked("search_notes", qwery=7),
    "unknown": asked("open_the_gates", which="all"),
    "add": "Let me write that down.\n" + asked("create_todo", title="Mend the nets"),
    ENDLESS: "Waves come in and waves go out; the tide counts none of them, and neither "
    "does the gull above. ",
}
"""What the model can say, by name; the endless text begins again where it ends.

The fields of a call must be those of the tool, but for "wrong": the server holds a call to them,
and where it forbids the next piece, chance chooses.
"""


class Words(NamedTuple):
    """A vocabulary: its tokens by number, their kinds, and the number of the token that follows
    each one that has a successor.
    """

    tokens: list[str]
    kinds: list[int]
    after: dict[int, int]


def mark(name: str) -> str:
    """Return the control token with which a text begins."""
    return f"<|{name}|>"


def template() -> str:
    """Return the chat template (Jinja), of the family in which tools stand in the system message
    and calls are JSON between tags.
    """
    choices = "".join(
        f"{{%- elif 'play {name}' in said.text %}}{{{{- '{mark(name)}' }}}}"
        for name in TEXTS
        if name != CLOSING
    )
    return (
        "{%- set said = namespace(text='', lead='') %}"
        "{%- if messages[0].role == 'system' %}{%- set said.lead = messages[0].content "
        "%}{%- endif %}"
        "{%- if tools %}{{- '<|im_start|>system\\n' + said.lead + '\\n\\n# Tools\\n\\n<tools>' }}"
        "{%- for tool in tools %}{{- '\\n' + (tool | tojson) }}{%- endfor %}"
        "{{- '\\n</tools>\\n\\nTo use a tool, answer with a JSON object between tags:\\n"
        '<tool_call>\\n{"name": <function-name>, "arguments": '
        "<args-json-object>}\\n</tool_call><|im_end|>\\n' }}"
        "{%- elif said.lead %}{{- '<|im_start|>system\\n' + said.lead + "
        "'<|im_end|>\\n' }}{%- endif %}"
        "{%- for message in messages %}"
        "{%- if message.role == 'user' %}{%- set said.text = message.content %}"
        "{{- '<|im_start|>user\\n' + message.content + '<|im_end|>\\n' }}"
        "{%- elif message.role == 'assistant' %}{{- '<|im_start|>assistant\\n' }}{%- "
        "if message.content %}{{- message.content }}{%- endif %}"
        "{%- for call in message.tool_calls or [] %}"
        '{{- \'\\n<tool_call>\\n{"name": "\' + call.function.name + \'", "arguments": '
        "' }}{{- call.function.arguments | tojson }}"
        "{{- '}\\n</tool_call>' }}{%- endfor %}{{- '<|im_end|>\\n' }}"
        "{%- elif message.role == 'tool' %}"
        "{{- '<|im_start|>user\\n<tool_response>\\n' + message.content + "
        "'\\n</tool_response><|im_end|>\\n' }}"
        "{%- endif %}{%- endfor %}"
        "{%- if add_generation_prompt %}{{- '<|im_start|>assistant\\n' }}"
        f"{{%- if messages[-1].role == 'tool' %}}{{{{- '{mark(CLOSING)}' "
        f"}}}}{choices}{{%- else %}}{{{{- '{mark(GREETING)}' }}}}{{%- endif %}}"
        "{%- endif %}"
    )


def letters() -> list[str]:
    """Return the printable character that stands for each byte, as byte-level tokenizers have
    it.
    """
    plain = {*range(33, 127), *range(161, 173), *range(174, 256)}
    rest = iter(range(256, 512))
    return [chr(byte if byte in plain else next(rest)) for byte in range(256)]


def pieces(text: str, taken: set[str]) -> list[str]:
    """Cut a text into pieces that are not among `taken`, which they join.

    The last one is as long as it must be.
    """
    cut: list[str] = []
    while text:
        size = next(
            (size for size in range(SHORTEST, len(text) + 1) if text[:size] not in taken), 0
        )
        if not size or len(text) - size < SHORTEST:
            size = len(text)
        while text[:size] in taken:  # a tail that occurs elsewhere too grows backwards
            last = cut.pop()
            taken.discard(last)
            text, size = last + text, size + len(last)
        cut.append(text[:size])
        taken.add(text[:size])
        text = text[size:]
    return cut


def words() -> Words:
    """Return the vocabulary: control tokens, the marks, every byte, and the pieces of all texts."""
    alphabet = letters()
    tokens = [*CONTROL, *map(mark, TEXTS), *alphabet, *RUNS]
    kinds = [3] * (len(CONTROL) + len(TEXTS)) + [1] * (len(alphabet) + len(RUNS))
    after: dict[int, int] = {}
    taken = set(RUNS)
    for name, text in TEXTS.items():
        here, first = tokens.index(mark(name)), len(tokens)
        for piece in pieces(text, taken):
            after[here] = here = len(tokens)
            tokens.append("".join(alphabet[byte] for byte in piece.encode()))
            kinds.append(1)
        after[here] = first if name == ENDLESS else CONTROL.index(END)
    return Words(tokens, kinds, after)


def weights(vocabulary: Words) -> tuple[Any, Any]:
    """Return the matrices in and out.

    A token's own direction, and for each token the direction of the one before it.

    The first dimension is left to the tokens after which nothing comes: it leads to the end.
    """
    import numpy as np

    count, end = len(vocabulary.tokens), CONTROL.index(END)
    rows_in = np.random.default_rng(SEED).standard_normal((count, WIDTH)).astype(np.float32)
    rows_in[:, 0] = 0
    rows_in /= np.linalg.norm(rows_in, axis=1, keepdims=True)
    rows_out = np.zeros((count, WIDTH), np.float32)
    for token in range(count):
        if vocabulary.after.get(token, end) == end:
            rows_in[token] = 0
            rows_in[token, 0] = 1
    for token, following in vocabulary.after.items():
        rows_out[following] += rows_in[token] * SURE
    rows_out[end] = 0
    rows_out[end, 0] = SURE
    return rows_in, rows_out


def write(path: Path) -> Path:
    """Write the model to `path`, whole or not at all, and return the path."""
    import gguf
    import numpy as np

    vocabulary = words()
    rows_in, rows_out = weights(vocabulary)
    half_made = path.with_suffix(".part")
    file = gguf.GGUFWriter(half_made, "llama")
    file.add_name("parrot")
    file.add_context_length(WINDOW)
    file.add_embedding_length(WIDTH)
    file.add_block_count(1)
    file.add_feed_forward_length(WIDTH)
    file.add_head_count(1)
    file.add_head_count_kv(1)
    file.add_layer_norm_rms_eps(1e-5)
    file.add_vocab_size(len(vocabulary.tokens))
    file.add_tokenizer_model("gpt2")
    file.add_tokenizer_pre("gpt-2")
    file.add_token_list(vocabulary.tokens)
    file.add_token_types(vocabulary.kinds)
    file.add_token_merges([f"{run[: len(run) // 2]} {run[len(run) // 2 :]}" for run in RUNS])
    file.add_bos_token_id(0)
    file.add_eos_token_id(CONTROL.index(END))
    file.add_add_bos_token(False)
    file.add_chat_template(template())
    file.add_tensor("token_embd.weight", rows_in)
    file.add_tensor("output.weight", rows_out)
    file.add_tensor("output_norm.weight", np.ones(WIDTH, np.float32))
    for norm in ("attn_norm", "ffn_norm"):
        file.add_tensor(f"blk.0.{norm}.weight", np.ones(WIDTH, np.float32))
    for part in ("attn_q", "attn_k", "attn_v", "attn_output", "ffn_gate", "ffn_up", "ffn_down"):
        file.add_tensor(f"blk.0.{part}.weight", np.zeros((WIDTH, WIDTH), np.float32))
    file.write_header_to_file()
    file.write_kv_data_to_file()
    file.write_tensors_to_file()
    file.close()
    return half_made.replace(path)


if __name__ == "__main__":
    print(write(Path(sys.argv[1])))
