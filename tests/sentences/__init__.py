"""Every sentence that the package can say when something is wrong, read from its source.

A sentence is the text of an error or a warning: a string, an f-string, or what local names, conditions and functions
make of them. What differs from call to call is a place: `{}`, or `{*}` where the source puts words there (the text of
a function, of a table, of a caller); such words are sentences of their own.

`python -m tests.sentences` prints those that no catalogue has.
"""
