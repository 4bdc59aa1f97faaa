"""What acts for someone: chat, briefings, memory, quick add, the heartbeat; by rules or a model.

May import core, account, workspace, tools. A message comes in at `chat/chat`, is run by
`chat/run_turn`, and answered by `rules/rules` or by a model of `models`.
"""
