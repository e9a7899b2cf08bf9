"""The rocker-bogie rover: pose, wheel loads, torques and stability on any terrain (Hacot1998)."""
