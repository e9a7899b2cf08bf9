"""The ground as triangles for a picture, one file for each kind of ground."""
