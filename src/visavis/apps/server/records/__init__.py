"""What the server keeps for itself, in SQL: users, who owns which conversation, links, jobs."""
