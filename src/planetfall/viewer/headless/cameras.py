"""Names of the page's cameras, as `page/src/cameras.ts` has them."""

CAMERAS = ("overview", "close", "side", "above", "ground", "aboard", "descent")
