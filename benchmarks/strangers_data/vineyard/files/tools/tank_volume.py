"""How many litres are in a round tank, from its dip-stick reading."""
import math

DEAD_VOLUME = 18.5  # litres below the valve


def litres(diameter_cm, depth_cm):
    r = diameter_cm / 2
    return math.pi * r * r * depth_cm / 1000


def usable(diameter_cm, depth_cm):
    # TODO: conical bottoms
    return max(0, litres(diameter_cm, depth_cm) - DEAD_VOLUME)


if __name__ == "__main__":
    print(round(usable(120, 150), 1))
