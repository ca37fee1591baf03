"""Operations as Java calls that have no frame of their own: a module for each family, and their registry."""
