"""REST plumbing without a domain: input serializers, pagination, parsers, converters."""
