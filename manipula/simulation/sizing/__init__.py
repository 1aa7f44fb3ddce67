"""What motors, gears and bearings must stand."""
