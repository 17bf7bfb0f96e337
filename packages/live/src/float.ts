// Reads decimal numbers as Go does, which is stricter than JavaScript.

const FLOAT = /^[+-]?(?:(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?|(?<word>inf|infinity|nan))$/i;

/** Undefined when it is not a number, or too large for one. */
export function readFloat(text: string): number | undefined {
  const found = FLOAT.exec(text);
  if (found === null) return undefined;
  const word = found.groups?.["word"]?.toLowerCase();
  if (word === "nan") return Number.NaN;
  if (word !== undefined) return text.startsWith("-") ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
  const value = Number(text);
  return Number.isFinite(value) ? value : undefined;
}
