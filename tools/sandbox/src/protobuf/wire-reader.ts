/** One field of a protobuf message: a number for varints, bytes for everything with a length. */
export type WireField =
  | { readonly number: number; readonly type: "varint"; readonly value: bigint }
  | { readonly number: number; readonly type: "bytes"; readonly value: Buffer };

/** The fields of a message in their order. Throws RangeError when the bytes are no message. */
export function readFields(message: Buffer): readonly WireField[] {
  const fields: WireField[] = [];
  let offset = 0;
  const varint = (): bigint => {
    let value = 0n;
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = message[offset];
      if (byte === undefined) throw new RangeError("the message ends inside a number");
      offset += 1;
      value |= BigInt(byte & 127) << shift;
      if (byte < 128) return value;
    }
    throw new RangeError("a number is too long");
  };
  while (offset < message.length) {
    const tag = Number(varint());
    const number = tag >> 3;
    switch (tag & 7) {
      case 0:
        fields.push({ number, type: "varint", value: BigInt.asIntN(64, varint()) });
        break;
      case 2: {
        const length = Number(varint());
        if (offset + length > message.length) throw new RangeError("the message ends inside a field");
        fields.push({ number, type: "bytes", value: message.subarray(offset, offset + length) });
        offset += length;
        break;
      }
      default:
        throw new RangeError(`wire type ${tag & 7} is not used here`);
    }
  }
  return fields;
}
