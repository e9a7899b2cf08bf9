"""Readers of terrain files: one format per file, plain NumPy arrays out, every fault an InputError.

Rasters (`raster.Raster`): `geotiff` (GeoTIFF, PDS3, ISIS cube, Arc ASCII grid), `npy`.
Meshes (`mesh_data.MeshData`): `stl`, `obj`, `ply`, `off`, `gltf`, `ac3d`, `shape_table` (PDS tables), `vtk`.
`load.load_terrain_file` picks the reader; `winding` reports and repairs the orientation of facets.
"""
