"""What people look at: results in a few numbers, one folder for each thing they are about."""
