"""Speed and stamina, measured: each script compares ours with a reference in one interleaved run.

Figures are ratios of medians, because the machines this runs on are shared; nothing here fails for being slow.
"""
