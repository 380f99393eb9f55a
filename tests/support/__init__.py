"""What several tests share: a scripted model endpoint over real HTTP, and tools that count."""
