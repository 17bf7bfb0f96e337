// Bodies in the form that is cheapest to send.

/** A string up to this length is sent together with its headers, in one record. */
export const maxOneWriteLength = 16 * 1024;

/** A JSON document with its line feed, for repeated sending. */
export function jsonBody(json: string): string | Buffer {
  const body = `${json}\n`;
  return body.length <= maxOneWriteLength ? body : Buffer.from(body);
}
