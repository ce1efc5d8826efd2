"""Domain-independent REST tools: input serializers, pagination, parsers, converters."""
