"""The studio's Python: a server on this machine alone, for one person's page.

`guard` stands before everything, `app` answers, `store` keeps files and drafts, `jobs` and `workers` do what takes long
in processes of their own, which run `tasks`. `serving` starts and ends it all.
"""
