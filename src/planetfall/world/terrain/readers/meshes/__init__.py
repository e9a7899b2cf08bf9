"""Readers of triangle meshes: `stl`, `obj`, `ply`, `off`, `gltf`, `ac3d`, `shape_table` (PDS tables), `vtk`.

All return a `mesh_data.MeshData`; `winding` reports and repairs the orientation of facets.
"""
