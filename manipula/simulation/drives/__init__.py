"""What lies between motors and joints, as numbers: springs, play, bristles; and which steps can follow them."""
