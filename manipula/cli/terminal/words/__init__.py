"""What the screen says, in other languages: a file each."""
