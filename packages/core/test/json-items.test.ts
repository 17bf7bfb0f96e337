import { JsonItemsError, splitJsonItems } from "@plimsoll/core/json-items";
import { assertProperty } from "@plimsoll/properties";
import * as fc from "fast-check";
import { expect, test } from "vitest";

interface Split {
  readonly items: readonly string[];
  readonly oversized: readonly { readonly head: string; readonly bytes: number }[];
  readonly rest: string;
}

/** `sizes`: of the chunks, over and over. */
function split(
  text: string,
  {
    path = ["items"],
    maxItemBytes = 1e6,
    maxRestBytes = 1e6,
    sizes = [1e6],
  }: { path?: string[]; maxItemBytes?: number; maxRestBytes?: number; sizes?: readonly number[] } = {},
): Split {
  const items: string[] = [];
  const oversized: { head: string; bytes: number }[] = [];
  const splitter = splitJsonItems({
    path,
    maxItemBytes,
    maxRestBytes,
    onItem: (bytes) => items.push(Buffer.from(bytes).toString("utf8")),
    onOversized: (head, bytes) => oversized.push({ head: Buffer.from(head).toString("utf8"), bytes }),
  });
  const bytes = Buffer.from(text);
  for (let at = 0, i = 0; at < bytes.length; i++) {
    const size = sizes[i % sizes.length] ?? 1;
    // A chunk of its own, which is overwritten afterwards.
    const chunk = Uint8Array.from(bytes.subarray(at, at + size));
    splitter.push(chunk);
    chunk.fill(0);
    at += size;
  }
  return { items, oversized, rest: Buffer.from(splitter.end()).toString("utf8") };
}

test("hands on the items of a list, and returns the list without them", () => {
  const text =
    '{"kind":"PodList","metadata":{"continue":"a]b"},"items":[ {"a":[1,"]"]}, 2 ,"x,\\"y"],"more":[3]}';
  for (const sizes of [[1], [2, 3], [1000]]) {
    const { items, rest } = split(text, { sizes });
    expect(items.map((item) => JSON.parse(item) as unknown)).toEqual([{ a: [1, "]"] }, 2, 'x,"y']);
    expect(rest).toBe('{"kind":"PodList","metadata":{"continue":"a]b"},"items":[],"more":[3]}');
  }
});

test("shows what came before the items", () => {
  const seen: string[] = [];
  const splitter = splitJsonItems({
    path: ["items"],
    maxItemBytes: 10,
    maxRestBytes: 100,
    onItem: () => seen.push(Buffer.from(splitter.soFar).toString("utf8")),
    onOversized: () => undefined,
  });
  for (const byte of Buffer.from('{"kind":"PodList","items":[1,2],"metadata":{}}'))
    splitter.push(Uint8Array.of(byte));
  expect(seen).toEqual(['{"kind":"PodList","items":[', '{"kind":"PodList","items":[']);
});

test("finds the array behind several keys, only there, and however the keys are written", () => {
  const text = '{"result":[0],"d":{"data":{"result":[0]}},"data":{"items":[0],"res\\u0075lt":[1,[2]]}}';
  const { items, rest } = split(text, { path: ["data", "result"] });
  expect(items).toEqual(["1", "[2]"]);
  expect(JSON.parse(rest)).toMatchObject({ result: [0], data: { items: [0], result: [] } });
});

test.each(["null", "{}", '{"items":[1]}', '"[1]"', "-1.5e3"])(
  "leaves what is not an array in the rest: %s",
  (value) => {
    const text = `{"items":${value},"a":1}`;
    expect(split(text, { sizes: [1] })).toEqual({ items: [], oversized: [], rest: text });
  },
);

test("keeps only the first bytes of an item above the limit, and continues behind it", () => {
  const fat = JSON.stringify({ name: "fat", text: "]}\\".repeat(5000) });
  const text = `{"items":[1,${fat},{"name":"fit"},${fat}]}`;
  for (const sizes of [[1], [7, 4096], [1e6]]) {
    const { items, oversized, rest } = split(text, { sizes, maxItemBytes: 8000 });
    expect(items).toEqual(["1", '{"name":"fit"}']);
    expect(oversized).toEqual([1, 2].map(() => ({ head: fat.slice(0, 4096), bytes: fat.length })));
    expect(rest).toBe('{"items":[]}');
  }
  expect(split(text, { maxItemBytes: 13 }).oversized[1]).toEqual({ head: '{"name":"fit"', bytes: 14 });
});

test("refuses a document that is too large beside its items", () => {
  const text = `{"metadata":${JSON.stringify("x".repeat(100))},"items":[${"1,".repeat(1000)}1]}`;
  expect(split(text, { maxRestBytes: 130 }).items).toHaveLength(1001);
  const refused = () => split(text, { maxRestBytes: 100, sizes: [10] });
  expect(refused).toThrow("the JSON document has more than 100 bytes outside items");
  expect(refused).toThrow(expect.objectContaining({ isTooLarge: true }));
});

test.each([
  ["", "ends early"],
  ['{"items":[1', "ends early"],
  ['{"items":[1]', "ends early"],
  ['{"items":["\\"]}', "ends early"],
  ['{"items":[1,]}', "an item of the array is missing"],
  ['{"items":[,1]}', "an item of the array is missing"],
  ['{"items":[1,,1]}', "an item of the array is missing"],
  ['{"items":[1}', "closed as an object"],
  ['{"items" [1]}', "a colon is missing"],
  ["{items:[1]}", "a key of an object is missing"],
  ['{"items":[1] "a":1}', "a comma or the end of an object is missing"],
  ['{"items":[1],"items":[2]}', 'the key "items" twice'],
  ['{"items":[1]}{"items":[2]', ""],
])("refuses %s", (text, problem) => {
  for (const sizes of [[1], [1000]]) {
    const whole = () => {
      const { items, rest } = split(text, { sizes });
      for (const part of [...items, rest]) JSON.parse(part);
    };
    expect(whole).toThrow(problem);
  }
});

/** JSON text of a value, with white space and escapes of many kinds. */
function writeJson(value: unknown, next: () => number): string {
  const space = () => ["", "", " ", "\n\t", "\r  "][next() % 5] ?? "";
  const write = (part: unknown): string => {
    if (typeof part === "string") return writeText(part, next);
    if (Array.isArray(part)) return `[${space()}${part.map(write).join(`${space()},${space()}`)}${space()}]`;
    if (typeof part !== "object" || part === null) return JSON.stringify(part);
    const fields = Object.entries(part).map(
      ([key, field]) => `${writeText(key, next)}${space()}:${space()}${write(field)}`,
    );
    return `{${space()}${fields.join(`${space()},${space()}`)}${space()}}`;
  };
  return `${space()}${write(value)}${space()}`;
}

function writeText(text: string, next: () => number): string {
  const letters = text.split("").map((letter) => {
    const plain = JSON.stringify(letter).slice(1, -1);
    return next() % 4 === 0 ? `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}` : plain;
  });
  return `"${letters.join("")}"`;
}

// None has a backslash: JSON.parse of Node 24 takes an escaped key for one that it has seen, as in
// JSON.parse('{"\\\\":1}'), JSON.parse('{"\\u0061":1}').
const key = fc.constantFrom("items", "data", "result", "", "a", 'q"', "é");
const text = fc.oneof(
  fc.string({ unit: fc.constantFrom('"', "\\", "[", "]", "{", "}", ",", ":", "a", "é", "\u{1f600}", "\n") }),
  fc.constantFrom("x".repeat(60), `${"y".repeat(50)}\\`, '"'.repeat(60), `${"\\".repeat(99)}"z`),
);
const json = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    text,
    fc.integer(),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.constantFrom(null, true, false),
    fc.array(tie("value"), { maxLength: 5 }),
    fc.dictionary(key, tie("value"), { maxKeys: 5 }),
  ),
})).value;
const array = fc.array(json, { maxLength: 8 });
const documents = fc.oneof(
  json,
  fc.tuple(fc.dictionary(key, json), array).map(([fields, items]) => ({ ...fields, items })),
  fc.tuple(fc.dictionary(key, json), array).map(([data, result]) => ({ a: 1, data: { ...data, result } })),
);
const chunkSizes = fc.array(fc.integer({ min: 1, max: 80 }), { minLength: 1, maxLength: 10 });
const numbers = fc.infiniteStream(fc.nat());

test("is what JSON.parse makes of it, however it is written and cut into chunks", () => {
  assertProperty(
    fc.property(documents, numbers, chunkSizes, fc.boolean(), (value, stream, sizes, isDeep) => {
      const written = writeJson(value, () => stream.next().value ?? 0);
      const path = isDeep ? ["data", "result"] : ["items"];
      const { items, oversized, rest } = split(written, { path, sizes });
      const parsed = items.map((item) => JSON.parse(item) as unknown);
      expect(oversized).toEqual([]);
      expect(withItems(JSON.parse(rest), path, parsed)).toEqual(JSON.parse(written));
    }),
    { numRuns: 5000 },
  );
});

/** The document with the items back in their array. */
function withItems(
  value: unknown,
  [first, ...others]: readonly string[],
  items: readonly unknown[],
): unknown {
  if (first === undefined) return Array.isArray(value) ? [...(value as unknown[]), ...items] : value;
  if (typeof value !== "object" || value === null || Array.isArray(value) || !Object.hasOwn(value, first))
    return value;
  return { ...value, [first]: withItems((value as Record<string, unknown>)[first], others, items) };
}

test("items above a limit are left out, one by one, wherever the chunks end", () => {
  assertProperty(
    fc.property(array, numbers, chunkSizes, fc.integer({ min: 1, max: 40 }), (items, stream, sizes, max) => {
      const written = items.map((item) => writeJson(item, () => stream.next().value ?? 0).trim());
      const found = split(`{"items":[${written.join(",")}]}`, { sizes, maxItemBytes: max });
      const isFat = (item: string) => Buffer.byteLength(item) > max;
      expect(found.items).toEqual(written.filter((item) => !isFat(item)));
      expect(found.oversized.map(({ bytes }) => bytes)).toEqual(
        written.filter(isFat).map((item) => Buffer.byteLength(item)),
      );
    }),
    { numRuns: 2000 },
  );
});

const cuts = fc.record({ at: fc.nat(), length: fc.integer({ min: 1, max: 3 }) });

test("text that is not JSON is refused, here or by whoever parses the parts", () => {
  assertProperty(
    fc.property(documents, numbers, chunkSizes, cuts, (value, stream, sizes, cut) => {
      const written = writeJson({ items: [value, 1] }, () => stream.next().value ?? 0);
      const at = cut.at % written.length;
      const broken = written.slice(0, at) + written.slice(at + cut.length);
      const parts = splitOrError(broken, sizes);
      if (isJson(broken) || parts instanceof JsonItemsError) return;
      expect([...parts.items, parts.rest].every(isJson)).toBe(false);
    }),
    { numRuns: 5000 },
  );
});

/** Any other error fails the test. */
function splitOrError(written: string, sizes: readonly number[]): Split | JsonItemsError {
  try {
    return split(written, { sizes });
  } catch (error) {
    if (error instanceof JsonItemsError) return error;
    throw error;
  }
}

function isJson(written: string): boolean {
  try {
    JSON.parse(written);
    return true;
  } catch {
    return false;
  }
}
