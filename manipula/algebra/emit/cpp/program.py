"""Programs as C++17 functions over double: the C text, with C++'s words."""

from __future__ import annotations

from manipula.algebra.emit.c.program import CProgram

KEYWORDS = """
alignas alignof and and_eq asm bitand bitor bool catch char16_t char32_t class compl concept const_cast constexpr
decltype delete dynamic_cast explicit export false friend mutable namespace new noexcept not not_eq nullptr operator or
or_eq private protected public reinterpret_cast requires static_assert static_cast template this thread_local throw true
try typeid typename using virtual wchar_t xor xor_eq
"""


class CppProgram(CProgram):
    """C++17."""

    reserved = CProgram.reserved | frozenset(KEYWORDS.split())
    restrict = "__restrict "

    def before(self) -> list[str]:
        return ["#include <cmath>\n#include <cstdint>\n\nusing std::fabs;"]
