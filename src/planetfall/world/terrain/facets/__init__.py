"""One triangle and its neighbours: distances, rays and the nearest point, for maps and meshes alike."""
