/** A field to write: its number, and a string, a boolean, bytes or a message. */
export type OutgoingField = readonly [
  number: number,
  value: string | boolean | Buffer | readonly OutgoingField[],
];

/** The bytes of a protobuf message. */
export function writeFields(fields: readonly OutgoingField[]): Buffer {
  return Buffer.concat(
    fields.flatMap(([number, value]) => {
      if (typeof value === "boolean") return [varint(number << 3), varint(value ? 1 : 0)];
      const bytes =
        typeof value === "string" ? Buffer.from(value) : Buffer.isBuffer(value) ? value : writeFields(value);
      return [varint((number << 3) | 2), varint(bytes.length), bytes];
    }),
  );
}

function varint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value;
  for (; rest > 127; rest = Math.floor(rest / 128)) bytes.push((rest & 127) | 128);
  return Buffer.from([...bytes, rest]);
}
