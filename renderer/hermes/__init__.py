"""Character chats the way Hermes' services build them."""
