"""Plan deliveries."""

import asyncio


async def plan(orders: list[str]) -> list[str]:
    """Put the orders in a sequence."""
    await asyncio.sleep(0)
    return sorted(orders)


def main() -> None:
    """Plan once."""
    asyncio.run(plan(["b", "a"]))
