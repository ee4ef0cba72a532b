"""The five malls, one file each: pure, no I/O."""
