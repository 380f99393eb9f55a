"""What each command of the shell does. Imported when the command runs."""
