"""Files counted, hashed, converted, split and merged."""
