"""What a terrain file holds, in numbers and on the grid of a picture."""
