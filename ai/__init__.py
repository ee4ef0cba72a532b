"""What the buyer wants, which offers are exactly that, and what they really cost.

Order of reading: text, units, scan, quantity → spec → gate → price → match; queries says what to ask a mall for.
Nothing here does I/O or reads a setting.
"""
