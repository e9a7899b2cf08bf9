"""How a user names the site in a raster: by latitude and longitude, by pixel, or by map coordinates."""

from dataclasses import dataclass


@dataclass(frozen=True)
class SiteLatLon:
    """A site by latitude and east longitude [deg], on the body of the file's own coordinate system.

    Longitudes in -180..180 and in 0..360 are both accepted.
    """

    latitude_deg: float
    longitude_deg: float


@dataclass(frozen=True)
class SitePixel:
    """A site by file row and column; whole numbers are pixel centres, row 0 is the first that the file stores."""

    row: float
    column: float


@dataclass(frozen=True)
class SiteMap:
    """A site by easting and northing in the file's own coordinate system [its unit]."""

    x: float
    y: float


Site = SiteLatLon | SitePixel | SiteMap
