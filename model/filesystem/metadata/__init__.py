"""What a store holds of a path beside its bytes and its place."""
