"""What every stage of a run works with."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Callable

from .adapters import Registry
from .control import Control
from .files import ContentStore
from .kit import Kit
from .once import Once
from .ranks import Ranks
from .reward import CompositeReward
from .run_folder import RunFolder
from .run_spec import RunSpec
from .waiting import Waiting


@dataclass
class Context:
    """On processes other than the leader ``journal``, ``waiting`` and ``registry`` are None: they neither grade nor write."""

    spec: RunSpec
    folder: RunFolder
    kit: Kit
    control: Control
    ranks: Ranks
    store: ContentStore
    reward: CompositeReward
    log: Callable[[str], None]
    journal: Once
    waiting: Waiting
    registry: Registry
    tasks: list[dict[str, Any]]
