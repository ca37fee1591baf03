"""The geometry of the plots: pure functions from records to coordinates, which a template draws as SVG."""
