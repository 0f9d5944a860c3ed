"""DLRover's master with 30 seconds in place of the 15 minutes after which it gives up workers that wait."""

import os

from dlrover.python.common.constants import JobConstant
from dlrover.python.common.global_context import DefaultValues

DefaultValues.SEC_TO_WAIT_PENDING_POD = 30
JobConstant.PENDING_NODE_TIMEOUT_DEFAULT_MIN = 30

from dlrover.python.master.main import main  # noqa: E402

os._exit(main())
