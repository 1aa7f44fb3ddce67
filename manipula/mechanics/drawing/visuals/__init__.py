"""What a URDF says its links look like, in place of the solids made from its joints."""
