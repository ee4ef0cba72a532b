"""A Korean market on loopback: Naver's shopping API, Coupang, Gmarket, Auction and 11st, on a catalogue of our own.

It stands in for the real malls in demonstrations and tests: same paths, same markup, invented offers, right answers
written down (`sandbox.catalogue`), misbehaviour on demand (`sandbox.scenario`). Every answer says that it is a sandbox.
"""
