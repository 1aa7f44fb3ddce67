"""MATLAB and Octave: how each operation is written over columns, and the words a local name may not be."""

from __future__ import annotations

from manipula.algebra.emit.text import ARITHMETIC, PRODUCT, SIGN, Language, Spelling, call
from manipula.algebra.expr.ops import OPS

_KEYWORDS = """
break case catch classdef continue else elseif end endfor endfunction endif endwhile for function global if otherwise
parfor persistent return spmd switch try while do until unwind_protect unwind_protect_cleanup end_try_catch endswitch
end_unwind_protect methods properties events enumeration arguments import endparfor endclassdef endenumeration
endevents endmethods endproperties endspmd endarguments end_function
"""
_USED = """
sin cos sqrt atan2 abs sign min max less select sign_of min_of max_of less_of select_of root_of size zeros ones
reshape permute class error all any isnan isinf NaN Inf nan inf eps pi i j e I J ans k n p_rows varargin varargout
nargin nargout rows numel max iscolumn deal single double printf fprintf exit given wanted got x y condition yes no
result unequal true false isargout chosen_of column first unknown z NA pkg clear who whos help doc
"""
RESERVED = frozenset((_KEYWORDS + _USED).split())
HELPERS = ("sign", "min", "max", "less", "select", "sqrt")
_NAMED = {
    "sin": "sin", "cos": "cos", "atan2": "atan2", "abs": "abs", "sqrt": "root_of",
    **{op: f"{op}_of" for op in ("sign", "min", "max", "less", "select")},
}  # fmt: skip

LANGUAGE = Language(
    {
        **ARITHMETIC,
        "mul": Spelling("{}.*{}", PRODUCT, (PRODUCT, SIGN)),
        "div": Spelling("{}./{}", PRODUCT, (PRODUCT, SIGN)),
        **{op: call(name, OPS[op].arity) for op, name in _NAMED.items()},
    },
    RESERVED,
    "Inf",
    "NaN",
)
