"""Parameters by the motion that they let recorded torques make."""
