"""Research: networks, training, data sets, simulated users and protocols; no product room imports it."""
