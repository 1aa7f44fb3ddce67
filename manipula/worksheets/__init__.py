"""Worksheets: questions about an arm, another one for every student, and answers checked by the identity prover."""
