"""Language models: choosing, connecting, guarding and driving them.

May import turn and rules. Begin with `model_or_rules`, then `model_loop`.
"""

CATEGORY = "agent"
"""Where the operations of this folder stand in `GET /os`, unless they name another."""
