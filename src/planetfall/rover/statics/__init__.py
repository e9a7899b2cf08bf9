"""Forces of a rover at rest or driving slowly: balance, wheel torques, slip, margins."""
