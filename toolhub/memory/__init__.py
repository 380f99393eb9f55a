"""What calls have taught: what worked, what failed and what helped, for each user (R3.7, R7)."""
