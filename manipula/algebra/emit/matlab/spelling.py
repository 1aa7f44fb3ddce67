"""MATLAB and Octave: how each operation is written over columns, and the words a local name may not be."""

from __future__ import annotations

from manipula.algebra.emit.text import ARITHMETIC, DECIDING, LIBRARY, PRODUCT, SIGN, Language, Spelling, calls
from manipula.scalar import OPS

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
PARTIAL = tuple(op.name for op in OPS.values() if op.partial and op.name != "sqrt")  # elsewhere complex in MATLAB
HELPERS = (*DECIDING, "sqrt", *PARTIAL)
_CALLED = [name for op in (*LIBRARY, *PARTIAL) for name in (f"{op}_of", OPS[op].word("matlab"))]
RESERVED = frozenset([*(_KEYWORDS + _USED).split(), *_CALLED])
_NAMED = {
    **{op: OPS[op].word("matlab") for op in LIBRARY},
    **{op: f"{op}_of" for op in HELPERS},
    "sqrt": "root_of",
}

LANGUAGE = Language(
    {
        **ARITHMETIC,
        "mul": Spelling("{}.*{}", PRODUCT, (PRODUCT, SIGN)),
        "div": Spelling("{}./{}", PRODUCT, (PRODUCT, SIGN)),
        **calls(_NAMED),
    },
    RESERVED,
    "Inf",
    "NaN",
)
