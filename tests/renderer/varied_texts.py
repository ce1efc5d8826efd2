"""Four hundred texts of many scripts, spacings and shapes, the same on every run."""

import random
from functools import cache

__all__ = ["varied_texts"]

_BY_HAND = (
    "",
    " ",
    "\n",
    "\r\n\r\n",
    "a",
    "Hello, world!",
    "it's we'll THEY'RE I'd you've I'M",
    "  two  spaces   three    four ",
    "tabs\tand\t\ttabs\n\n\n  indented\n    deeper\n",
    "12345678901234567890 3.14159 1,000,000 2026-11-22",
    "snake_case camelCase PascalCase SCREAMING_CASE kebab-case",
    "def f(x):\n    return {'a': [1, 2, 3]}[x] if x else None\n",
    "SELECT * FROM t WHERE a >= 1 AND b <> 'x''y';",
    "<html><body class=\"a\">&nbsp;&lt;</body></html>",
    "https://example.org/a/b?c=d&e=%20#f",
    "{\"key\": [true, false, null, 1e-9], \"ü\": \"\\u00fc\"}",
    "naïve café über straße Œuvre",
    "cafe\u0301 e\u0301 a\u030a (combining)",
    "ﬁ ﬂ ① ² ½ Ⅷ",
    "İstanbul ıI ŞŞ",
    "Привет, мир! Ёлка",
    "Ελληνικά με τόνους",
    "שלום עולם",
    "مرحبا بالعالم، كيف الحال؟",
    "می‌خواهم (zero width non-joiner)",
    "नमस्ते दुनिया",
    "สวัสดีชาวโลก",
    "你好，世界！今天天气很好。",
    "こんにちは世界。カタカナ ﾊﾝｶｸ",
    "안녕하세요 세계",
    "👨‍👩‍👧‍👦 👍🏽 🇩🇪 ❤️ 🏳️‍🌈",
    "𝒜𝓁𝓅𝒽𝒶 𐍈 🀄",
    "a\u200bb\u2060c\ufeffd\u00ade",
    "line\u2028sep para\u2029sep nel\u0085",
    "nbsp\u00a0thin\u2009ideographic\u3000space",
    "\x00\x01\x1b[31mred\x7f",
    "<|endoftext|><|im_start|>system\n<|im_end|>",
    "<s>[INST] x [/INST]</s> <0x0A> ▁ <unk>",
    "<｜begin▁of▁sentence｜><｜User｜>",
    "C:\\new\\report \\nabla \\\\ \"quoted\" 'single' `tick`",
    "----====____****....!!!!????",
    "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
    "word " * 60,
    "\n" * 40,
    " " * 100,
    "x" + " " * 33 + "y",
    "e" + "\u0301" * 20,
)  # fmt: skip

_PIECES = (
    "the", "The", "THE", "of", "and", "token", "tokens", "ization", "'s", "'LL", "don't", "é", "ß", "ß's", "中文", "字",
    "カナ",
    "한글", "привет", "ΟΔΟΣ", "עברית", "عربي", "हिन्दी", "ไทย", "👍🏽", "👨‍👩‍👧",
    "1", "23", "456", "7890", " ", "  ", "\t",
    "\n", "\r\n",
    "\n\n", ".", ",", "...", "!?", "(", ")", "[]", "{}", "<|", "|>", "/", "\\", "_", "-", "—", "“", "”", "$", "€", "=",
    "==", "+=",
    "\u200d", "\u0301", "\u00a0", "\u3000", "\u2028", "\x0b", "\x1f", "Q", "qu", "İ", "ǅ", "ʰ", "ª", "Ⅻ", "½", "٣",
)  # fmt: skip


@cache
def varied_texts() -> tuple[str, ...]:
    dice = random.Random(20261122)
    made = ["".join(dice.choices(_PIECES, k=dice.randint(1, 60))) for _ in range(400 - len(_BY_HAND) - 100)]
    spaced = [" ".join(dice.choices(_PIECES, k=dice.randint(1, 40))) for _ in range(80)]
    anything = [
        "".join(chr(dice.choice((dice.randint(0, 0x2FF), dice.randint(0x300, 0xD7FF), dice.randint(0x1F300, 0x1FAFF))))
                for _ in range(dice.randint(1, 50)))
        for _ in range(20)
    ]  # fmt: skip
    return (*_BY_HAND, *made, *spaced, *anything)
