"""Laws that learn the arm they drive."""
