"""What one picture shows, in words: things with their colours, materials and places."""
