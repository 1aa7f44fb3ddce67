"""The program form: numerical texts in plain Python that are also translated, to machine code and to other languages.

A text is a function over numbers, flat arrays and structs of them. It may use what `primitives` lists, `for … in
range(…)`, `while`, `if`, assignments (of several at once, too), `x in (…)`, whole numbers with bit operations, tables
of constants (tuples around the text), other texts, itself, and proved straight lines (`tapes.Straight`); `A[k:]` is the
array from its entry k on, `s.q[i]` an entry of a struct's array (`structs`). Numbers around a text are constants, also
those of a class (`Layout.PLACE`).
It allocates nothing but arrays of fixed size, and two arrays handed to it may not overlap where one is written. Whole
numbers have 64 bits (32 in C unless it is written `wide`); `min` and `max` of a NaN are either number.

`reader` reads texts into the typed `tree`; whatever it does not know it refuses with the file and the line.
"""
