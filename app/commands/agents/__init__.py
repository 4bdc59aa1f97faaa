"""`hearth agent`: managed agents of a user's own, and the switch that stops all agents."""
