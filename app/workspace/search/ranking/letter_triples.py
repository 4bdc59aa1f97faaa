"""Words that are none, such as `zzzzqqq`: told by three letters in a row that stand in hardly any.

No nearness tells them from words: a model puts what it cannot read somewhere too, and some note is
always the nearest. So where no note holds a word of the query and none of its words can be one,
nothing is found.

A word is none when at least half of its triples, its beginning and end counted as letters, and at
least four of them stand in fewer than three of the 73,244 words of both models' vocabularies
(`tests/workspace/search/test_letter_triples.py` makes the table anew). One mistyped letter spoils
three, two letters in the wrong order four. Of 54,000 rare words in 18 languages, on which these
numbers were chosen, 0.04 % were taken for none (hmmmmmm, lxxix, brrrrrr), of 22,000 mistyped ones
0.05 %, and of letters at random 59 %, of runs over the keyboard 58 %, of consonants 94 %, of
repeated letters 73 %. What could be spoken may be a name and is a word (4 % of words with their
letters mixed are none), and so is all that holds a digit, other letters than a to z, capitals
alone, or fewer than five letters.
"""

import base64

from app.workspace.index.spellings import fold_in_place
from app.workspace.search.ranking.fts_expressions import telling_words
from app.workspace.search.ranking.query_language import Query

FEWEST_LETTERS = 5
FEWEST_UNKNOWN = 4
LETTERS = 27
"""The 26, and before them the place before and after a word."""
_TABLE = """
AAAA8P//v8glqURm+S1zTW7///+LXbJI555UIrZ08u//s4goCmSu+SViCSK3717rHoLM/7//YtcsEhEkkcghid3/7y1yyT7v
/37rfLdYZbrFIoKg0Nnnge1/uwAAAND9163bbR6v/Pv4/9/fmdJcGJ/m0e1/j278+fWf398f+Xz87PPr///f//t9/v//f4Ec
B3b/+zQjiYP///+//+/5/7/f/33dvffm8502g05kcXEnz6Pb/34DAADg87//I5INEhkEgIAgCP7/+w0AAAAQAACMCQLg99/v
IgAgEBAAwYghiAQEATAiCKDff/4DQAAAAAAAI4IgXpGE4IgAAP7/+Q4iAAABAAAAAAAgF4obAAAAAAAAwP//nwEAACAyCQIB
QAD8+/cLAAAAAAAE+Nvn9/9/P0UEQXAy3SsRQRCICAAgxBBA//v9BgAAAAAACEaUQTQiCIIRSXb8+3cRQAAAAAIAAAAAQFZf
A0+gQQQAAID///+PCJJIYACAY5Os+v//v4AgCEQEATBiCoL///+LAIBARJBEI4MgEhEEwIghiH7/+ysgSAAAABCMCIL45TeC
IwEE+P/vs4ggAEQECQAAAIBPdE6MKAIIAAAA33t9PNHm0co/j3//+/3t1+cxaR7N//N5Rp8H//19nZHnw48+n///9/0n3+P/
/353y/VhZbqHAAAg+P//////v3//+Z+r191dbRavTPNoZTgGN/oc+FmPMwAAAH7+/wwAAAAAAACAAADg948PI9I8EgEAgAgg
AP79vS4CCAAAAACICIJKAAAAIYIg2tT3EQAAAAAAADAiCKKAiQiMTLJgdd+DAAAAAAAAAAAAACKkGAAAAAAAAAD8/vdbQAAA
IIAAGAEE0P9/v0EACTBiSaIbaRz8//95RBBEIoIgGBEEkYgAAEZEUfDvz08BAAAAAABgRBDUI5oxHBkEwc8/nwUEASAiQCAA
AADczbcRBAAAAAAA+P//vwggAEAEADAiSIL///8HAIJAAAAAAgAA+P//swggCEYESTAiCKMRQRSMCOLo///fIgIEEBAAwMgk
nFIGYDBmz6P/f3+JCIJARABAAAAAuIbvBwgAAAAAAPD73+OTaRqt/PN4dp/H/X/9HJPk0ew/v2bk6VC5x4V5bXze7PPp/79f
J/85+v///69/P1dmezAhAIN//37///979Z/vHfYcGJHm0YgggEYEITEiCYLb/z4DAADg+6/fAJAAAAAAwAggCv//+hkAAAAA
AAAAAADgt4+LAAAAGAFAwIggAEQAQDAiCKD//z4BAAIAAAAAAAAAWFGA4IghCH7/+SAiAAABAQAAAAAAAAIAIAAAAAAAwP9/
v0UAQABiAAARQAD9//cbAAAEAAAEGJFEwf9/v0UAQTAiCIIRQxCJCABgxBBE3//9BgAEAAAAAE4EUbTyH+ORQRb9//dbRBAA
IoIAAAAAwAMeB0AEAAAAAID///+PCJJoZBAFI9O8+v/v/4wgB0YEaSACCID///+PCKNgRBpFt+78GhFFwYggiP7//z0yiQMA
ABCIAAJoZRGGI4Ms/v/v+4ggClQAAAQAAIB99W6GAAAAAAAA////H5FmEeYGAEYAAPD73/8BQBCIAABoBBIEv/9+FwEAgAgg
CEYMQTQiCKMRQRD9/vN7bJIHAAAgEBGA0cgyDEYkAfD/z1cBAACICAAIAAAADcgcEBEEAAAAAP7//y8iCYKRbx6///fq/7//
I5I0uP/k14ggGP7//z4iiIo1SR6JSIJIRBAEI5O4+v//vwAkCQAAQCAiCKC/3XzNz/P7/5/PIoIgEBEEQIgAAH5/+TkiCCIA
AABk6HXg559PL988/v3vd7ReF8cEeTB7zaMZaxr94nF1ZhoHI/o8+v/P8/l9j/7//1+t17X9/R7FAILg////b////t3v9/9W
d3es2fwjzaEYAQDtyOLgdr/fAAAA+P3/PwgAAEQEESAAQIDd/3+LQAJIBIAAI4Ik+v3vuwgAAAQEADAiDCIRAACMCALo97/f
8/M8AgAAwIggmkeWYTwyiKLf/x4CCAAAAAAAAAAAGBDgAIgAAAAAAHABRSEAAAAAAABAQBAAEUBMAgAAAAAAAAAAABAB9SAA
AAAAAABAAAAAAAAAAAAAAAAUBQAAAAAAAAABABAIAAAAQAAAI4IGAgAAAAAAAAAAAAAAAAEAAAAAAADg////I5YsGpmE8c80
r////z8miaKRWxqJCILp///vIoIgGNnm04wgik4kcXRyiqP///+PTPNAAAAEI4Yg2vnP89g+v///+zwiDKKRQQQJCADgXz+T
I8IgAgAAwP///0UESTQySQIRARL8//9fRJAEIoKkOPe/x////0UEQTBiyacRQxCNGKJoxBBE///9HrkkAQAACHwEQ7AmT+vz
/3b9//dRxBBEIoIAAAAAwA4+n1a0cQQAAID///+LSJJAJBAAIoIA+P//v4ggCEQEAfBn36r//z+LCAJARJJEIoIgGhEEwYgg
iP7/+y8SCQIAAADMCqJ6ZTfOZ9Ms+v/v84ggCUYEASAiCIBP/W6PSMAAAAAAuX9c+rXn1co3D+/v+fwrx8dxWRrMzvNoRJtG
u3h93BmGwcomD/7/83T+36L//39n+vXhd7pHAwIg+N//8///j//3+z6B54EVQxLMCAAgRBAEo4IguNHnMwAAAD7//g4AAACR
ABCICIDg96/PAIAAABAAAAAgAH7/+Q0CAAABCBCJGAIAAAAAI4Ig+vXnNQAEAQAAALAziKMRDRgMAAIgh5+DIAIAAAAAAAAA
AH5aeygDVAIAAAB8/30/ABAAAoEADAEA4L8fpwEAQRAAAAARQQDs93UQAAAAAQAAGBFEkAAAAEYkEdTxzwsAAAIAAABgRBhD
AQkRBAgEAAAQAwAAAAAAAAAAAAD88nUSEAAAAAAAeIbnEgAAAEQmQCAAAIAOOQYAAAIAAAAAAgIA+NXnIAAAAAAAACACAAAA
AAAAAAJgApgDIpAEAAAAAQAAAAQAADAiSAIJJAYBCABABAAAAAAACAAAAAAAAAAAAPC51+0RRRKNfABwRprEP3h8HpOgwKg0
DGQgKXCTxwERIADMeOJgVxNcP+Kt2tXGUSUeD0ckOQAAAIAVRx68bmN6ZJlOmXwcHBEEwIgwAAAAADAAgIEZIwQBAADg87/f
I4IkAhEA4Igxif//+g0AAAARShLMQBLhn59fIgIAEBEEkYggAEYkATBiCKB+fH6ISJIAAAAAIoIwGFGA4IggCXb9uigiSSIR
QQIBAACgkS+TI5IAAg==
"""
_known = base64.b64decode(_TABLE)


def holds_no_words(query: Query) -> bool:
    """Return whether a query has free words, and none of them can be a word of any language."""
    words = telling_words(query)
    return bool(words) and not any(map(may_be_word, words))


def may_be_word(text: str) -> bool:
    """Return whether a text may be a word, a name or a code."""
    word = fold_in_place(text)
    if len(word) < FEWEST_LETTERS or text.isupper() or not (word.isascii() and word.isalpha()):
        return True
    letters = [0, *(ord(letter) - ord("`") for letter in word), 0]
    unknown = sum(not is_known(*letters[place : place + 3]) for place in range(len(letters) - 2))
    return unknown < FEWEST_UNKNOWN or 2 * unknown < len(word)


def is_known(first: int, second: int, third: int) -> bool:
    """Return whether three letters stand in a row in words; a is 1, and 0 no letter."""
    place = (first * LETTERS + second) * LETTERS + third
    return bool(_known[place >> 3] >> (place & 7) & 1)
