#!/usr/bin/env python3
"""Spine width in mm: python3 spine_width.py PAGES CALIPER_MM [hard]"""
import sys

BOARD_MM = 2.5   # grey board, each side
GLUE_MM = 0.6


def spine(pages, caliper, hard=False):
    block = pages / 2 * caliper + GLUE_MM
    return block + 2 * BOARD_MM if hard else block


if __name__ == "__main__":
    print(round(spine(int(sys.argv[1]), float(sys.argv[2]), "hard" in sys.argv), 1))
