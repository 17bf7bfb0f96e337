// The bytes of a text in UTF-8, and their base64, without help of a runtime.

/** Half a surrogate pair has no bytes: encoders send the replacement character. */
export function utf8Of(text: string): readonly number[] {
  const encoded = encodeURIComponent(text.replaceAll(/\p{Cs}/gu, "\ufffd"));
  return [...encoded.matchAll(/%([0-9A-F]{2})|[^%]/g)].map(([part, hex]) =>
    hex === undefined ? part.charCodeAt(0) : Number.parseInt(hex, 16),
  );
}

const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/**
 * Those letters of the base64 of a longer text that depend on these bytes alone, which begin `offset` bytes (0 to 2) behind a
 * multiple of three.
 */
export function base64Within(bytes: readonly number[], offset: 0 | 1 | 2): string {
  const bitOf = (at: number): number => ((bytes[(at >> 3) - offset] ?? 0) >> (7 - (at & 7))) & 1;
  const endBit = (offset + bytes.length) * 8;
  let letters = "";
  for (let bit = Math.ceil((offset * 8) / 6) * 6; bit + 6 <= endBit; bit += 6) {
    let value = 0;
    for (let i = 0; i < 6; i += 1) value = value * 2 + bitOf(bit + i);
    letters += alphabet.charAt(value);
  }
  return letters;
}

/** Undefined: it is not base64. Bytes that are not UTF-8 are read as Latin 1. */
export function textOfBase64(text: string): string | undefined {
  const values = Array.from(text.replaceAll("=", ""), (letter) => alphabet.indexOf(letter));
  if (values.includes(-1)) return undefined;
  const bytes: number[] = [];
  let bits = 0;
  let count = 0;
  for (const value of values) {
    bits = ((bits << 6) | value) & 0xffff;
    count += 6;
    if (count < 8) continue;
    count -= 8;
    bytes.push((bits >> count) & 0xff);
  }
  try {
    return decodeURIComponent(bytes.map((byte) => `%${byte.toString(16).padStart(2, "0")}`).join(""));
  } catch {
    return String.fromCharCode(...bytes);
  }
}
