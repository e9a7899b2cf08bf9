"""What comes out: trajectories as labelled arrays, and the folders they are kept in."""
