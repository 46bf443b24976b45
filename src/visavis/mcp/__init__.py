"""The collections for agents: tools of the Model Context Protocol over stdio and streamable HTTP."""
