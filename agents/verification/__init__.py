"""Verification: is what came back believable? Cheap checks at once, the whole round together afterwards."""
