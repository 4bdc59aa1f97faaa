"""Commands by noun for the operations of the service, such as `hearth note list`.

They are made from `operations.json`, which scripts/docs.py writes from the catalogue, because
loading the catalogue takes longer than a command may. Begin with `noun_group` and `describe`.
"""
