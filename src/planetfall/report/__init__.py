"""What people show each other: figures and pages, one folder for each thing they show."""
