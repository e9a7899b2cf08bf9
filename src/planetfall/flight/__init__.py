"""What flies the vehicle: its sensors, and what is concluded from nothing but their readings."""
