"""How much and how soon a thing matters: urgency, importance, quadrants.

Begin with `items`.
"""
