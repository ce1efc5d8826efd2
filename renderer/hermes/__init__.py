"""Character chats as Hermes' services build them."""
