"""Character chats in the form that Hermes' services build."""
