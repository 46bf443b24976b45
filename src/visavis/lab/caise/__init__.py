"""The CAISE dialogues (Kim et al., AAAI 2022): reading them, its conventions, and its measure of accuracy."""
