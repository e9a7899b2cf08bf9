"""Guidance laws, one file each: from what navigation knows to the force that is wanted. `laws` lists them."""
