"""Gear development for a customer who asks 'which cassette?'"""

WHEELS = {"700x25": 2.105, "700x35": 2.168, "26x1.75": 2.023, "16in": 1.330}


def ratio(front, rear):
    return front / rear


def development(front, rear, wheel="700x25"):
    """Metres travelled per crank turn."""
    return round(ratio(front, rear) * WHEELS[wheel], 2)


def speed_kmh(front, rear, cadence=80, wheel="700x25"):
    # TODO: allow hub gears
    return round(development(front, rear, wheel) * cadence * 60 / 1000, 1)


if __name__ == "__main__":
    for rear in (11, 13, 15, 17, 19, 21, 24, 28, 32):
        print(rear, development(46, rear), speed_kmh(46, rear))
