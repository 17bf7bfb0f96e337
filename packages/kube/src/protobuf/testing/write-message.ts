// Writes protobuf messages, for servers of tests and measurements.

/** A field: its number, and a string, bytes, a whole number or a message. */
export type Field = readonly [number: number, value: string | number | bigint | Buffer | readonly Field[]];

/** The bytes of a message. */
export function writeMessage(fields: readonly Field[]): Buffer {
  return Buffer.concat(
    fields.flatMap(([number, value]) => {
      if (typeof value === "number" || typeof value === "bigint")
        return [varint(number * 8), varint(BigInt.asUintN(64, BigInt(value)))];
      const bytes =
        typeof value === "string" ? Buffer.from(value) : Buffer.isBuffer(value) ? value : writeMessage(value);
      return [varint(number * 8 + 2), varint(bytes.length), bytes];
    }),
  );
}

export function varint(value: number | bigint): Buffer {
  const bytes: number[] = [];
  let rest = BigInt(value);
  for (; rest > 127n; rest >>= 7n) bytes.push(Number(rest & 127n) | 128);
  return Buffer.from([...bytes, Number(rest)]);
}

/** An object or a list as a response has it. */
export function writeEnvelope(
  { apiVersion, kind }: { readonly apiVersion: string; readonly kind: string },
  message: readonly Field[] | Buffer,
): Buffer {
  const type: Field = [
    1,
    [
      [1, apiVersion],
      [2, kind],
    ],
  ];
  return Buffer.concat([
    Buffer.from("k8s\0", "latin1"),
    writeMessage([type, [2, message], [3, ""], [4, ""]]),
  ]);
}

/** An event of a watch, with its length before it. */
export function writeFrame(type: string, envelope: Buffer): Buffer {
  const event = writeMessage([
    [1, type],
    [2, [[1, envelope]]],
  ]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(event.length);
  return Buffer.concat([length, event]);
}
