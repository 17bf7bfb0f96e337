import { assertProperty } from "@plimsoll/properties";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import {
  ProtobufError,
  podReader,
  podUsageReader,
  readPage,
  readStatusResponse,
  readWatchFrame,
} from "../../src/protobuf/index.ts";
import {
  type Field,
  varint,
  writeEnvelope,
  writeList,
  writeMessage,
  writePod,
  writePodMetrics,
  writeStatus,
} from "../../src/protobuf/testing/index.ts";

const list = { apiVersion: "v1", kind: "PodList" };
const usageList = { apiVersion: "metrics.k8s.io/v1beta1", kind: "PodMetricsList" };

const pod = {
  metadata: { name: "a", namespace: "ns", uid: "u", resourceVersion: "7", labels: { app: "x" } },
  spec: { containers: [{ name: "main", resources: { requests: { cpu: "100m" } } }] },
  status: { phase: "Running", conditions: [{ type: "Ready", status: "True" }] },
};
const pods = writeEnvelope(list, writeList([writePod(pod), writePod(pod)], "9"));

/** A list with one item of these fields. */
const listOf = (...fields: readonly Field[]) => readPage(writeEnvelope(list, [[2, fields]]), podReader);

test.each<[string, () => unknown, string]>([
  ["no bytes", () => readPage(Buffer.alloc(0), podReader), "it does not begin with k8s\\0"],
  ["JSON", () => readPage(Buffer.from('{"kind":"PodList"}'), podReader), "it does not begin with k8s\\0"],
  ["an envelope without an object", () => readPage(Buffer.from("k8s\0"), podReader), "the envelope is empty"],
  [
    "an object of another kind",
    () => readPage(writeEnvelope({ apiVersion: "v1", kind: "NodeList" }, []), podReader),
    '"v1 NodeList" in place of "v1 PodList"',
  ],
  [
    "an object of another version",
    () => readPage(writeEnvelope({ apiVersion: "v2", kind: "PodList" }, []), podReader),
    '"v2 PodList" in place of "v1 PodList"',
  ],
  [
    "an encoding inside the envelope",
    () => readPage(Buffer.concat([Buffer.from("k8s\0"), writeMessage([[3, "gzip"]])]), podReader),
    "the object is encoded once more",
  ],
  [
    "a length beyond the message",
    () => listOf([1, Buffer.from([0x0a, 0x7f])]),
    "a field is longer than its message",
  ],
  [
    "a length of 2^63",
    () => listOf([1, Buffer.concat([Buffer.from([0x0a]), varint(2n ** 63n)])]),
    "a field is longer than its message",
  ],
  [
    "a length of 2^62 of a field that is skipped",
    () => listOf([1, Buffer.concat([Buffer.from([0x3a]), varint(2n ** 62n)])]),
    "a field is longer than its message",
  ],
  ["a number without an end", () => listOf([1, Buffer.alloc(12, 0xff)]), "a number is too long"],
  [
    "a number that is cut off",
    () => listOf([1, Buffer.from([0x38, 0xff])]),
    "the message ends inside a number",
  ],
  [
    "eight bytes where there are three",
    () => listOf([1, Buffer.from([0x39, 1, 2, 3])]),
    "longer than its message",
  ],
  ["a group", () => listOf([1, Buffer.from([0x0b, 0x0c])]), "a field has the wire type 3"],
  [
    "an error that is not a Status",
    () =>
      readWatchFrame(
        writeMessage([
          [1, "ERROR"],
          [2, [[1, writeEnvelope({ apiVersion: "v1", kind: "Pod" }, [])]]],
        ]),
        podReader,
      ),
    'an error is a "Pod"',
  ],
])("%s is refused with the reason", (_what, read, reason) => {
  expect(read).toThrow(ProtobufError);
  expect(read).toThrow(reason);
});

test("a list of more items than a cluster has pods is refused, whatever its bytes", () => {
  const items = writeMessage(Array.from({ length: 250_001 }, (): Field => [2, []]));
  expect(() => readPage(writeEnvelope(list, items), podReader)).toThrow("more than 250000 items");
});

test("what is not UTF-8 is replaced, as in JSON, and hides no other object and no error", () => {
  const odd = Buffer.from([0x61, 0xff]);
  const metadata: Field = [
    1,
    [
      [1, odd],
      [11, [[1, odd]]],
    ],
  ];
  const read = readPage(
    writeEnvelope(list, writeList([[metadata, [3, [[1, odd]]]], writePod(pod)], "9")),
    podReader,
  );
  expect(read.items).toMatchObject([
    { metadata: { name: "a\ufffd", labels: { "a\ufffd": "" } }, status: { phase: "a\ufffd" } },
    pod,
  ]);
  const type = { apiVersion: "v1", kind: "Status" };
  expect(readStatusResponse(writeEnvelope(type, [[3, odd], ...writeStatus({ code: 410 })]))?.code).toBe(410);
});

test("messages inside each other cost nothing where they are not read", () => {
  let deep: readonly Field[] = [[1, ""]];
  for (let n = 0; n < 5_000; n++) deep = [[1, writeMessage(deep)]];
  expect(listOf([4, deep], [1, [[1, "a"]]]).items).toMatchObject([{ metadata: { name: "a" } }]);
});

test("numbers beyond 32 bits are cut off as Go does, and instants that no calendar has are none", () => {
  const time = (seconds: bigint): Field => [2, [[1, seconds]]];
  const usage = (...fields: readonly Field[]) =>
    readPage(writeEnvelope(usageList, [[2, fields]]), podUsageReader).items[0];
  expect(usage(time(2n ** 62n))?.timestamp).toBeUndefined();
  expect(usage(time(-(2n ** 62n)))?.timestamp).toBeUndefined();
  expect(usage([2, []])?.timestamp).toBeUndefined();
  expect(usage(time(-62_135_596_800n))?.timestamp).toBeUndefined();
  expect(usage(time(0n))?.timestamp).toBe("1970-01-01T00:00:00Z");
  expect(usage(time(-1n))?.timestamp).toBe("1969-12-31T23:59:59Z");
  expect(usage(time(253_402_300_799n))?.timestamp).toBe("9999-12-31T23:59:59Z");
  expect(usage([3, [[1, -1_500_000_000]]])?.windowNs).toBe(-1_500_000_000);
});

test("the names of containers and labels set no prototype", () => {
  const item = {
    metadata: { name: "a", labels: JSON.parse('{"__proto__":"x"}') as unknown },
    containers: [{ name: "__proto__", usage: { cpu: "1" } }],
  };
  const bytes = writeEnvelope(usageList, writeList([writePodMetrics(item, 1)], "1"));
  const [read] = readPage(bytes, podUsageReader).items;
  expect(Object.keys(read?.labels ?? {})).toEqual(["__proto__"]);
  expect(Object.entries(read?.containers ?? {})).toEqual([["__proto__", { cpu: "1" }]]);
  expect(({} as Record<string, unknown>)["cpu"]).toBeUndefined();
});

/** The message of the ProtobufError; undefined when it was read. Any other error is thrown. */
function refusalOf(read: () => unknown): string | undefined {
  try {
    read();
    return undefined;
  } catch (error) {
    if (error instanceof ProtobufError) return error.message;
    throw error;
  }
}

test("whatever bytes come, they are read or refused with a ProtobufError", () => {
  const flips = fc.array(fc.tuple(fc.nat(pods.length - 1), fc.nat(255)), { maxLength: 8 });
  assertProperty(
    fc.property(flips, fc.nat(pods.length), (changes, length) => {
      const bytes = Buffer.from(pods);
      for (const [at, byte] of changes) bytes[at] = byte;
      const cut = bytes.subarray(0, length === 0 ? bytes.length : length);
      for (const read of [
        () => readPage(cut, podReader),
        () => readPage(cut, podUsageReader),
        () => readStatusResponse(cut),
        () => readWatchFrame(cut, podReader),
      ]) {
        expect(refusalOf(read)?.length ?? 0).toBeLessThan(300);
      }
    }),
    { numRuns: 5_000 },
  );
});

test("bytes that begin as a list and go on at random are read or refused", () => {
  assertProperty(
    fc.property(fc.uint8Array({ maxLength: 200 }), (random) => {
      const bytes = writeEnvelope(usageList, Buffer.from(random));
      expect(refusalOf(() => readPage(bytes, podUsageReader))?.length ?? 0).toBeLessThan(300);
    }),
    { numRuns: 5_000 },
  );
});
