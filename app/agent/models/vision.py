"""Which models take pictures, as far as their names tell."""

import re

# Providers have no field for it, so names that are known to see are listed.
_SEES = re.compile(
    r"gpt-4o|gpt-4\.1|gpt-4-turbo|gpt-[5-9]|chatgpt-4o|\bo[134](?:-|$)(?!mini-2024|preview)|claude-(?:3|[4-9]|opus|sonnet|haiku|fable)|gemini"
    r"|gemma-?[3-9]|llava|bakllava|moondream|minicpm-v|minicpm-o|pixtral|internvl|qwen[0-9.]*-?(?:vl|omni)|qwen3\.[5-9]|llama-?3\.2-?vision"
    r"|llama-?4|mistral-small-?3\.[1-9]|mistral-(?:medium|large)-?3|magistral-small-?(?:1\.[2-9]|2509)|phi-?[34](?:\.5)?-(?:vision|multimodal)"
    r"|granite.{0,10}vision|grok-(?:[4-9]|2-vision)|smolvlm|[-_:/.](?:vl|vision|omni)\b"
)


def takes_pictures(model_name: str) -> bool:
    """Return whether a model of that name takes pictures.

    One whose name does not tell is taken for blind, since refusals cost the turn.
    """
    return _SEES.search(model_name.lower()) is not None
