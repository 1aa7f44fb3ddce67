"""What an arm's torque is linear in, as columns over time."""
