"""A secret is found however a writer quotes what is no letter or digit in it, and no text makes that slow."""

from __future__ import annotations

import html
import json
import time
from urllib.parse import quote, quote_plus
from xml.sax.saxutils import escape, quoteattr

import pytest

from fsconform.engine.secrecy import HIDDEN, Secrets

FORMS = {
    "java.net.URI quotes the space alone": ("pa ss+wd=1", "pa%20ss+wd=1"),
    "java.net.URLEncoder": ("p4ss!word*(x)", "p4ss%21word*%28x%29"),
    "a tilde is quoted": ("Abc~Def12", "Abc%7EDef12"),
    "small hexadecimal digits": ("Abc~Def12", "Abc%7eDef12"),
    "json-simple": ("wJalr/XUtn+FEMI", "wJalr\\/XUtn+FEMI"),
    "Gson": ("a=b'c<d>e&f", "a\\u003db\\u0027c\\u003cd\\u003ee\\u0026f"),
    "capital hexadecimal digits": ("a=b'c<d>e&f", "a\\u003Db\\u0027c\\u003Cd\\u003Ee\\u0026f"),
    "XML leaves what is greater": ("a<b>c&dxx", "a&lt;b>c&amp;dxx"),
    "decimal entities": ("a<b>c&dxx", "a&#60;b&#062;c&#38;dxx"),
    "hexadecimal entities": ("a<b>c/dxx", "a&#x3c;b&#x3E;c&#x2F;dxx"),
    "entities of HTML": ("ab=c/d+ef", "ab&equals;c&sol;d&plus;ef"),
    "a quote of XML": ('it\'s "x"', "it&apos;s &quot;x&quot;"),
    "a plus is a space": ("pa ss=wd", "pa+ss%3Dwd"),
    "properties of Java": ("ab=c:d e", "ab\\=c\\:d\\ e"),
    "a string of Python": ("tab\there\x1bé", "tab\\there\\x1b\\xe9"),
    "two units of UTF-16": ("ab\U0001f600cd", "ab\\ud83d\\ude00cd"),
    "bytes in percents": ("clé-ouverte", "cl%C3%a9-ouverte"),
    "no letter at all": ("!/+=", "%21%2F+\\u003d"),
    "padding left away": ("AbcdCanary1234==", "AbcdCanary1234"),
}


@pytest.mark.parametrize("kind", FORMS)
def test_forms_of_other_writers(kind: str) -> None:
    secret, form = FORMS[kind]
    secrets = Secrets()
    secrets.learn([secret])
    assert secrets.text(f"before {form} after") == f"before {HIDDEN} after"
    told = secrets.data(f"before {form} after".encode())
    assert told == f"before {HIDDEN} after".encode()


@pytest.mark.parametrize(
    "secret", ["a+/=<&>'\"é ~x", "\\\\b\\", "%41x%", "&amp;y&", "  odd\t!", "\udc80ab\udcffc", "1\n2\n3!"]
)
def test_forms_of_all_that_we_know(secret: str) -> None:
    secrets = Secrets()
    secrets.learn([secret])
    octets = secret.encode("utf-8", "surrogatepass")
    told = [
        *(secret, repr(secret)[1:-1], html.escape(secret), escape(secret), quoteattr(secret)[1:-1]),
        *(json.dumps(secret)[1:-1], json.dumps(secret, ensure_ascii=False)[1:-1]),
        *(quote(octets), quote(octets, safe=""), quote_plus(octets), quote(octets).lower()),
    ]
    for form in told:
        assert secrets.text(f"[{form}]").replace(HIDDEN, "").strip("[] \\\t") == "", form


def test_no_text_makes_it_slow() -> None:
    """Where a character has two spellings of which one begins the other there are more ways than can be tried."""
    secrets = Secrets()
    secrets.learn(["k" + "\\" * 40 + "x", "%25" * 20 + "!", "&amp;" * 20 + "?"])
    text = ("k" + "\\" * 60 + "y") * 500 + "%25" * 5_000 + "&amp;" * 5_000 + "k" * 100_000
    begun = time.process_time()
    assert secrets.text(text) == text
    assert time.process_time() - begun < 10


def test_other_texts_stay() -> None:
    secrets = Secrets()
    secrets.learn(["pa ss+wd=1", "Abc~Def12"])
    text = "pa-ss+wd=1 pass+wd=1 Abc%7FDef12 AbcDef12 pa%2ss+wd=1"
    assert secrets.text(text) == text
