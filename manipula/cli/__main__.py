"""`python -m manipula.cli` is `manipula`."""

from manipula.cli import main

if __name__ == "__main__":
    main()
