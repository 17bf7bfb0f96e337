// Reads a string literal of PromQL as Prometheus does.

const ESCAPE = /\\(?:([abfnrtv\\'"])|([0-7]{3})|x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8}))/y;

const NAMED: Readonly<Record<string, number>> = {
  a: 7,
  b: 8,
  f: 12,
  n: 10,
  r: 13,
  t: 9,
  v: 11,
  "\\": 92,
  "'": 39,
  '"': 34,
};

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/**
 * The text that a literal means, its quotes included in what is given; undefined when Prometheus would not read it, or
 * when it is not UTF-8. Escapes of bytes may make up one character: `"\xc3\xa4"` is "ä".
 * @upstream prometheus/prometheus util/strutil/quote.go#Unquote
 */
export function readStringLiteral(literal: string): string | undefined {
  const quote = literal.at(0) ?? "";
  const body = literal.slice(1, -1);
  const isClosed = literal.length >= 2 && literal.endsWith(quote) && "\"'`".includes(quote);
  // Prometheus takes the replacement character for broken UTF-8, and half of a surrogate pair would become one.
  if (!isClosed || /[\p{Cs}\ufffd]/u.test(body)) return undefined;
  if (quote === "`") return body.includes("`") ? undefined : body;
  return unescaped(body, quote);
}

function unescaped(body: string, quote: string): string | undefined {
  if (body.includes("\n")) return undefined;
  const bytes: number[] = [];
  for (let at = 0; at < body.length; ) {
    const next = body.indexOf("\\", at);
    const plain = body.slice(at, next < 0 ? undefined : next);
    if (plain.includes(quote)) return undefined;
    bytes.push(...Buffer.from(plain));
    if (next < 0) break;
    ESCAPE.lastIndex = next;
    const escape = ESCAPE.exec(body);
    const escaped = escape === null ? undefined : bytesOf(escape, quote);
    if (escaped === undefined) return undefined;
    bytes.push(...escaped);
    at = ESCAPE.lastIndex;
  }
  try {
    return decoder.decode(Uint8Array.from(bytes));
  } catch {
    return undefined;
  }
}

/** Undefined for the quote that does not enclose the literal, and for what is not a character. */
function bytesOf(
  [, named, octal, hex, short, long]: RegExpExecArray,
  quote: string,
): Iterable<number> | undefined {
  if (named !== undefined) return `'"`.includes(named) && named !== quote ? undefined : [NAMED[named] ?? 0];
  if (octal !== undefined) return byte(Number.parseInt(octal, 8));
  if (hex !== undefined) return byte(Number.parseInt(hex, 16));
  const code = Number.parseInt(short ?? long ?? "", 16);
  const isCharacter = code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);
  return isCharacter ? Buffer.from(String.fromCodePoint(code)) : undefined;
}

function byte(value: number): readonly number[] | undefined {
  return value <= 0xff ? [value] : undefined;
}
