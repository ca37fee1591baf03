"""What run, pytest and campaigns share: stores brought up, explored side by side, judged, recorded in a folder."""
