"""The live side of the web server: streams and long polls in asyncio, without a thread for each."""
