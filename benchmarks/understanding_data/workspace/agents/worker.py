"""Carry out deliveries."""

import asyncio

TIMEOUT = 30


async def work(queue: asyncio.Queue[str]) -> str:
    """Take one order; the timeout is in seconds."""
    async with asyncio.timeout(TIMEOUT):
        return await queue.get()
