"""Lessons: guided walks in data files, what they ask of the engine, and the check of every claim. No Textual here."""
