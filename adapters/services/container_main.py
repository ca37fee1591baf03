"""Runs one container and waits for it: ``python -m fsconform.adapters.services.container_main ORDER``.

ORDER is a JSON file, which is removed once it was read, for its environment holds the service's secrets. What the
container says goes to standard output. SIGTERM stops the container. The exit code is the container's. It is removed at
the end in any case; where this process is killed, by ``containers.sweep`` of the next one.
"""

from __future__ import annotations

import json
import signal
import sys
import threading
from pathlib import Path
from typing import Any

LABEL = "org.fsconform.owner"
LAST_WORDS_SECONDS = 5.0


def main() -> int:
    """Run the container that the order describes."""
    place = Path(sys.argv[1])
    order: dict[str, Any] = json.loads(place.read_text("utf-8"))
    place.unlink()

    from testcontainers.core.config import testcontainers_config
    from testcontainers.core.container import DockerContainer

    # Its helper that removes containers is an image from a registry; ours are swept by their label instead.
    testcontainers_config.ryuk_disabled = True
    stopping = threading.Event()
    signal.signal(signal.SIGTERM, lambda number, frame: stopping.set())
    box = DockerContainer(order["image"]).with_command(order["command"][1:])
    box.with_envs(**order["environment"])
    for source, target, mode in order["volumes"]:
        box.with_volume_mapping(source, target, mode)
    box.with_kwargs(
        network_mode="host",
        user=order["user"],
        working_dir=order["directory"],
        labels={LABEL: order["label"]},
        entrypoint=order["command"][:1],
    )
    with box:
        container = box.get_wrapped_container()
        status: list[int] = []
        telling = threading.Thread(target=_tell, args=(container,), daemon=True)
        telling.start()
        threading.Thread(target=_follow, args=(container, status, stopping), daemon=True).start()
        stopping.wait()
        if not status:
            container.stop(timeout=int(order["grace"]))
            status.append(int(container.wait()["StatusCode"]))
        telling.join(LAST_WORDS_SECONDS)
    return status[0]


def _follow(container: Any, status: list[int], stopping: threading.Event) -> None:
    """End the waiting when the container ends of itself."""
    status.append(int(container.wait()["StatusCode"]))
    stopping.set()


def _tell(container: Any) -> None:
    """Write what the container says, until it ends."""
    for chunk in container.logs(stream=True, follow=True):
        sys.stdout.buffer.write(chunk)
        sys.stdout.buffer.flush()


if __name__ == "__main__":
    raise SystemExit(main())
