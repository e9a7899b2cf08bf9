"""Many runs in numbers: shares, quantiles and their intervals, spreads, detectors, sensitivities, comparisons."""
