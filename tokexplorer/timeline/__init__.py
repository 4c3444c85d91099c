"""What is known of a run at each of its steps: snapshots, histories, branches, conditions, curves."""
