"""One input stream's life: opening, reading in all forms, and what changes below it."""
