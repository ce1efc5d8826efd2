"""How people prove who they are: what Promptuary asks of allauth, an OpenID provider, and a proof that is fresh."""
