"""People who know one picture and speak only language: to measure conversations at any scale, again and again."""
