// Bodies in the form that is cheapest to send.

/** A string up to this length is sent together with its headers, in one record. */
export const maxOneWriteLength = 16 * 1024;

/** A JSON document with its line feed, for repeated sending. */
export function jsonBody(json: string): string | Buffer {
  const body = `${json}\n`;
  return body.length <= maxOneWriteLength ? body : Buffer.from(body);
}

/** So many rows are some hundred kilobytes. */
const rowsOfPart = 2_000;

/** The same of an object with rows at its end, written in parts: 200,000 rows as one text are in memory three times. */
export function listBody<Key extends string>(
  list: Readonly<Record<Key, readonly object[]>>,
  key: Key,
): string | Buffer {
  const rows = list[key];
  if (rows.length <= rowsOfPart) return jsonBody(JSON.stringify(list));
  const parts = [Buffer.from(JSON.stringify({ ...list, [key]: [] }).slice(0, -2))];
  for (let at = 0; at < rows.length; at += rowsOfPart) {
    const part = JSON.stringify(rows.slice(at, at + rowsOfPart)).slice(1, -1);
    parts.push(Buffer.from(at === 0 ? part : `,${part}`));
  }
  return Buffer.concat([...parts, Buffer.from("]}\n")]);
}
