"""What people touch: the shell, the console view, settings, logs, the Studio entry; opens and closes everything."""
