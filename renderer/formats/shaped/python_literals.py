"""Parsing Python's strings and numbers, and nothing else of Python."""

import re
import unicodedata

__all__ = ["LiteralReader", "SyntaxFault"]


class SyntaxFault(Exception):
    """An error between two offsets; `cure` is a fix: its title and the replacement text."""

    def __init__(self, message: str, start: int, end: int, cure: tuple[str, str] | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.start = start
        self.end = end
        self.cure = cure


MAX_DIGITS = 60
_SPACE = re.compile(r"[ \t\n\r\f]*")
_WORD = re.compile(r"[^\W\d]\w*")
_NUMBER = re.compile(r"[-+]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]+)?")
_KEYWORD = re.compile(r"([^\W\d]\w*)[ \t\n]*=(?!=)[ \t\n]*")
_QUOTES = ("'", '"')
_PLAIN = {"'": re.compile(r"[^'\\]+"), '"': re.compile(r'[^"\\]+')}
_SIMPLE = {"n": "\n", "t": "\t", "r": "\r", "\\": "\\", "'": "'", '"': '"', "a": "\a", "b": "\b", "f": "\f", "v": "\v"}
_SIMPLE["\n"] = ""  # a backslash at the end of a line joins it with the next one
_CODED = re.compile(r"x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([0-7]{1,3})|N\{([^{}]{1,120})\}")


class LiteralReader:
    """A position in a text. Each method reads from there, leaves it after what it read, and raises only SyntaxFault."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.at = 0

    def _peek(self) -> str:
        """The character at the position; empty at the end."""
        return self.source[self.at : self.at + 1]

    def _skip_space(self) -> None:
        space = _SPACE.match(self.source, self.at)
        self.at = space.end() if space else self.at

    def _read_word(self) -> str:
        word = _WORD.match(self.source, self.at)
        if word is None:
            sign = self._peek()
            reason = f"found `{sign}`" if sign else "the text ends"
            raise SyntaxFault(f"expected a name, a function call or a literal here, {reason}", self.at, self.at + 1)
        self.at = word.end()
        if self._peek() in _QUOTES:
            raise SyntaxFault(
                f"`{word[0]}` before a quote has no meaning here; strings are plain", word.start(), self.at
            )
        return word[0]

    def _read_keyword(self) -> str | None:
        keyword = _KEYWORD.match(self.source, self.at)
        if keyword is None:
            return None
        self.at = keyword.end()
        return keyword[1]

    def _read_number(self) -> int | float:
        number = _NUMBER.match(self.source, self.at)
        start = self.at
        if number is None:
            raise SyntaxFault(f"`{self._peek()}` must be followed by a number here", start, start + 1)
        self.at = number.end()
        text = number[0]
        if len(text) > MAX_DIGITS:
            raise SyntaxFault(f"a number has at most {MAX_DIGITS} digits", start, self.at)
        digits = text.lstrip("+-")
        if len(digits) > 1 and digits[0] == "0" and digits.isdigit() and digits.strip("0"):
            raise SyntaxFault("a whole number does not start with 0", start, self.at)
        if digits.isdigit():
            return int(text)
        value = float(text)
        if value in (float("inf"), float("-inf")):
            raise SyntaxFault("this number is too large", start, self.at)
        return value

    def _read_strings(self) -> str:
        """One string, or several adjacent ones, which Python concatenates."""
        text = ""
        while self._peek() in _QUOTES:
            text += self._read_string()
            end = self.at
            self._skip_space()
        self.at = end
        return text

    def _read_string(self) -> str:
        start, quote = self.at, self.source[self.at]
        self.at += 1
        pieces: list[str] = []
        while self._peek() != quote:
            match = _PLAIN[quote].match(self.source, self.at)
            if match:
                self.at = match.end()
                pieces.append(match[0])
            elif self._peek():
                pieces.append(self._escape())
            else:
                raise SyntaxFault("this quote is never closed", start, start + 1)
        self.at += 1
        return "".join(pieces)

    def _escape(self) -> str:
        """A backslash escape; an unknown one is kept as it is, as in Python."""
        start = self.at
        self.at += 1
        simple = _SIMPLE.get(self._peek())
        if simple is not None:
            self.at += 1
            return simple
        coded = _CODED.match(self.source, self.at)
        if coded is None:
            if self._peek() in ("x", "u", "U", "N"):
                raise SyntaxFault(f"`\\{self._peek()}` is not followed by a character's code", start, self.at + 1)
            return "\\"
        self.at = coded.end()
        return self._read_character(coded, start)

    def _read_character(self, coded: re.Match[str], start: int) -> str:
        if coded[5]:
            try:
                return unicodedata.lookup(coded[5])
            except (KeyError, UnicodeEncodeError):  # the latter for a name with a lone surrogate
                raise SyntaxFault(f"there is no character named {coded[5]}", start, self.at) from None
        code = int(coded[4], 8) if coded[4] else int(coded[1] or coded[2] or coded[3], 16)
        if code > 0x10FFFF or 0xD800 <= code <= 0xDFFF or code == 0:
            raise SyntaxFault("there is no such character in Unicode text", start, self.at)
        return chr(code)
