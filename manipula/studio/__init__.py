"""The studio's Python: a server on this machine alone, for one person's page.

`requests` has the guard before everything, `app` answers, `store` keeps files and drafts, `jobs` does what takes long,
in processes (`worker`) that run `tasks`, whose replies have their types there. `server` starts and ends it all.
"""
