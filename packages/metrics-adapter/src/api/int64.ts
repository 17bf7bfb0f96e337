// Validates integers of query parameters as Go's strconv does.

/** What is wrong with an integer of a query, in the words of Go's strconv. Without one nothing is. */
export function int64Problem(text: string | null): string | undefined {
  if (text === null) return undefined;
  const words = `strconv.ParseInt: parsing ${JSON.stringify(text)}`;
  if (!/^[+-]?\d+$/.test(text)) return `${words}: invalid syntax`;
  return text.length <= maxLength && BigInt.asIntN(64, BigInt(text)) === BigInt(text)
    ? undefined
    : `${words}: value out of range`;
}

/** Longer ones are not worth reading to their end; leading zeros count. */
const maxLength = 100;
