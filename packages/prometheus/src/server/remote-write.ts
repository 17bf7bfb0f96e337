// Samples for a server of any time, written at once instead of scraped.
import type { Labels } from "../sample.ts";

/** A value, or the mark that a scrape leaves where a series has ended. */
export type WrittenValue = number | "stale";

/** A series and its samples, oldest first. */
export interface WrittenSeries {
  /** With __name__. */
  readonly labels: Labels;
  readonly samples: readonly (readonly [atMs: number, value: WrittenValue])[];
}

/** Sends series to a server that receives remote write. */
export async function remoteWrite(url: string, series: readonly WrittenSeries[]): Promise<void> {
  const request = Buffer.concat(series.map((one) => field(1, timeSeries(one))));
  const response = await fetch(url, {
    method: "POST",
    headers: {
      "content-type": "application/x-protobuf",
      "content-encoding": "snappy",
      "x-prometheus-remote-write-version": "0.1.0",
    },
    body: new Uint8Array(snappy(request)),
  });
  if (!response.ok) throw new Error(`${url} responded ${response.status}: ${await response.text()}`);
}

function timeSeries({ labels, samples }: WrittenSeries): Buffer {
  const sorted = Object.entries(labels).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Buffer.concat([
    ...sorted.map(([name, value]) =>
      field(1, Buffer.concat([field(1, Buffer.from(name)), field(2, Buffer.from(value))])),
    ),
    ...samples.map((sample) => field(2, sampleBytes(sample))),
  ]);
}

const staleBits = 0x7ff0_0000_0000_0002n;

function sampleBytes([atMs, value]: WrittenSeries["samples"][number]): Buffer {
  const double = Buffer.alloc(9);
  // Field 1, of eight bytes.
  double[0] = 0x09;
  if (value === "stale") double.writeBigUInt64LE(staleBits, 1);
  else double.writeDoubleLE(value, 1);
  return Buffer.concat([double, Buffer.from([0x10]), varint(atMs)]);
}

/** A protobuf field with its length. */
function field(number: number, bytes: Buffer): Buffer {
  return Buffer.concat([Buffer.from([(number << 3) | 2]), varint(bytes.length), bytes]);
}

function varint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value;
  for (; rest > 127; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 128);
  return Buffer.from([...bytes, rest]);
}

/** Snappy's block format, with nothing compressed. */
function snappy(bytes: Buffer): Buffer {
  const parts = [varint(bytes.length)];
  for (let start = 0; start < bytes.length; start += 0x1_0000) {
    const literal = bytes.subarray(start, start + 0x1_0000);
    const head = Buffer.alloc(3);
    head[0] = 61 << 2;
    head.writeUInt16LE(literal.length - 1, 1);
    parts.push(head, literal);
  }
  return Buffer.concat(parts);
}
