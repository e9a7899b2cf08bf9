"""Readers of elevation maps: `geotiff` (GeoTIFF, PDS3, ISIS cube, Arc ASCII grid) and `npy`.

All return a `raster.Raster`: heights in metres about a site, with the length of a map unit there.
"""
