"""Tools at run time: found, described, recalled, called. One façade: `toolhub.library.UnifiedToolLibrary`."""
