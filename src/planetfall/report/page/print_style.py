"""How pages look on paper: A4, whole figures, headings that stay with what they head, rows that stay in one piece."""

PRINT = """
.paper { display: none; }
@page { size: A4; margin: 12mm; }
@media print {
  .screen { display: none; } .paper { display: block; }
  body { margin: 0; padding: 0; max-width: none; font-size: 11.5px; line-height: 1.35; }
  h1 { font-size: 20px; } h2 { font-size: 14px; margin: 1.1em 0 .3em; }
  h1, h2, h3, thead { break-after: avoid; } tr, figure, li { break-inside: avoid; }
  table { font-size: 10px; } th, td { padding: 1px 9px 1px 0; }
  figure { margin: 6px 0 10px; } figure img { max-width: 100%; max-height: 235mm; }
  figcaption { font-size: 10px; }
  td.key { font-size: 9px; } tr.unset { display: none; } table.inputs { width: 100%; }
  code { font-size: 10px; }
}
"""
