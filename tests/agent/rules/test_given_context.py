"""Prompts of public programs: what is asked in them, and what is given to answer from."""

import pytest

from app.agent.rules.dialogue import given_context
from app.agent.rules.phrases.phrases import language_of

CONTEXT = "The Mill opens at ten. Parking is behind the church."
QUESTION = "When does the Mill open?"
PROMPTS = [
    (
        "Use the following pieces of context to answer the question at the end. If you "
        "don't know the answer, just say that you don't know, don't try to make up an answer.\n"
        "\n"
        "The Mill opens at ten. Parking is behind the church.\n"
        "\n"
        "Question: When does the Mill open?\n"
        "Helpful Answer:",
        QUESTION,
        CONTEXT,
        "",
    ),
    (
        "Context information is below.\n"
        "---------------------\n"
        "The Mill opens at ten. Parking is behind the church.\n"
        "---------------------\n"
        "Given the context information and not prior knowledge, answer the query.\n"
        "Query: When does the Mill open?\n"
        "Answer: ",
        QUESTION,
        CONTEXT,
        "",
    ),
    (
        "Human: You are an assistant for question-answering tasks. Use the following "
        "pieces of retrieved context to answer the question. If you don't know the "
        "answer, just say that you don't know. Use three sentences maximum and keep the "
        "answer concise.\n"
        "Question: When does the Mill open? \n"
        "Context: The Mill opens at ten. Parking is behind the church. \n"
        "Answer:",
        QUESTION,
        CONTEXT,
        "",
    ),
    (
        "System: You are a helpful assistant.\n"
        "User: hi\n"
        "Assistant: Hello! How can I help?\n"
        "User: When does the Mill open?\n"
        "Assistant:",
        QUESTION,
        "",
        "",
    ),
    (
        "The following is a friendly conversation between a human and an AI.\n"
        "\n"
        "Current conversation:\n"
        "Human: hi\n"
        "AI: Hello!\n"
        "Human: When does the Mill open?\n"
        "AI:",
        QUESTION,
        "",
        "",
    ),
    ('{"role": "visitor", "question": "When does the Mill open?"}', QUESTION, "", ""),
    (
        '{"context": "The Mill opens at ten. Parking is behind the church.", "question": '
        '"When does the Mill open?"}',
        QUESTION,
        CONTEXT,
        "",
    ),
    (
        '{"messages": [{"role": "system", "content": "Be kind."}, {"role": "user", '
        '"content": "When does the Mill open?"}]}',
        QUESTION,
        "",
        "",
    ),
    (
        'Answer the question in this JSON:\n```json\n{"question": "When does the Mill open?"}\n```',
        QUESTION,
        "",
        "",
    ),
    (
        "<context>\n"
        "The Mill opens at ten. Parking is behind the church.\n"
        "</context>\n"
        "\n"
        "<question>\n"
        "When does the Mill open?\n"
        "</question>",
        QUESTION,
        CONTEXT,
        "",
    ),
    (
        "<instructions>Answer only from the documents.</instructions>\n"
        "<documents><document>The Mill opens at ten. Parking is behind the "
        "church.</document></documents>\n"
        "<question>When does the Mill open?</question>",
        QUESTION,
        CONTEXT,
        "",
    ),
    (
        "You are a support bot. Rules:\n"
        "- Be brief\n"
        "- Never mention prices\n"
        "\n"
        "<user_query>When does the Mill open?</user_query>",
        QUESTION,
        "",
        "",
    ),
    (
        "You are the guide of a village website.\n"
        "\n"
        "Rules:\n"
        "1. Answer in one sentence.\n"
        "2. Do not make anything up.\n"
        "3. If the answer is not in the text, reply exactly: Sorry, I cannot say.\n"
        "\n"
        "Text:\n"
        "The Mill opens at ten. Parking is behind the church.\n"
        "\n"
        "Visitor: When does the Mill open?",
        QUESTION,
        CONTEXT,
        "Sorry, I cannot say",
    ),
    (
        "Answer only from the text between START and END.\n"
        "START\n"
        "The Mill opens at ten. Parking is behind the church.\n"
        "END\n"
        "Question: When does the Mill open?",
        QUESTION,
        CONTEXT,
        "",
    ),
    (
        "### Instruction:\n"
        "Answer the question from the input.\n"
        "\n"
        "### Input:\n"
        "The Mill opens at ten. Parking is behind the church.\n"
        "\n"
        "### Question:\n"
        "When does the Mill open?\n"
        "\n"
        "### Response:",
        QUESTION,
        CONTEXT,
        "",
    ),
    (
        "Given these documents, answer the question.\n"
        "Documents:\n"
        "The Mill opens at ten. Parking is behind the church.\n"
        "\n"
        "Question: When does the Mill open?\n"
        "Answer:",
        QUESTION,
        CONTEXT,
        "",
    ),
    (
        "Answer the user's question using the notes below. If the notes do not contain "
        'the answer, say "NO_ANSWER".\n'
        "\n"
        "Notes:\n"
        "The Mill opens at ten. Parking is behind the church.\n"
        "\n"
        "User question: When does the Mill open?",
        QUESTION,
        CONTEXT,
        "NO_ANSWER",
    ),
    (
        "**Context:**\n"
        "The Mill opens at ten. Parking is behind the church.\n"
        "\n"
        "**Question:** When does the Mill open?\n"
        "\n"
        "**Answer:**",
        QUESTION,
        CONTEXT,
        "",
    ),
    (
        "[INST] <<SYS>>\nYou are honest.\n<</SYS>>\n\nWhen does the Mill open? [/INST]",
        QUESTION,
        "",
        "",
    ),
    (
        "<|im_start|>system\n"
        "You are helpful.<|im_end|>\n"
        "<|im_start|>user\n"
        "When does the Mill open?<|im_end|>\n"
        "<|im_start|>assistant\n",
        QUESTION,
        "",
        "",
    ),
    (
        "Beantworte die Frage nur anhand des folgenden Textes. Wenn die Antwort nicht im "
        "Text steht, antworte genau: Weiß ich nicht.\n"
        "\n"
        "Text:\n"
        "Die Mühle öffnet um zehn.\n"
        "\n"
        "Frage: Wann öffnet die Mühle?\n"
        "Antwort:",
        "Wann öffnet die Mühle?",
        "Die Mühle öffnet um zehn.",
        "Weiß ich nicht",
    ),
]
NONE = [
    "You are a copywriter.\n\nTask: Suggest a title for the text.\n\nText: ...",
    "add milk to the list\nand eggs",
    "make a note: Login\nUser: bob\nPassword: x1",
    '{"a": 1}',
    "append to the note Chat:\nUser: hello there",
]


@pytest.mark.parametrize(("prompt", "question", "context", "otherwise"), PROMPTS)
def test_the_prompt_of_a_program_is_taken_apart(
    prompt: str, question: str, context: str, otherwise: str
) -> None:
    found = given_context.unwrap(prompt, language_of(prompt))
    assert found == (question, context, otherwise)


@pytest.mark.parametrize("message", NONE)
def test_what_only_looks_like_a_prompt_is_a_message(message: str) -> None:
    assert given_context.unwrap(message, language_of(message)) is None
