"""The adaptive laws by name: each in continuous time, and sampled."""

from __future__ import annotations

from manipula.mechanics.models.block import Block
from manipula.mechanics.models.control.adaptive.craig import CRAIG, SAMPLED_CRAIG
from manipula.mechanics.models.control.adaptive.mrac import MRAC, SAMPLED_MRAC
from manipula.mechanics.models.control.adaptive.self_tuning import SAMPLED_SELF_TUNING, SELF_TUNING
from manipula.mechanics.models.control.adaptive.slotine_li import SAMPLED_SLOTINE_LI, SLOTINE_LI

ADAPTIVE: dict[str, tuple[Block, Block]] = {
    "slotine_li": (SLOTINE_LI, SAMPLED_SLOTINE_LI),
    "craig": (CRAIG, SAMPLED_CRAIG),
    "mrac": (MRAC, SAMPLED_MRAC),
    "self_tuning": (SELF_TUNING, SAMPLED_SELF_TUNING),
}
