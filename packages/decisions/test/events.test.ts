import { assertProperty } from "@plimsoll/properties";
import * as fc from "fast-check";
import { expect, test, vi } from "vitest";
import { createEventParser } from "../src/read/events.ts";

const stream =
  "retry: 2000\n\nevent: reset\nid: a\ndata: {}\n\n:\n\nevent: rows\r\nid: b\r\ndata: [1]\r\n\r\ndata: x\ndata:y\n\n";

const events = [
  { event: "reset", data: "{}", id: "a" },
  { event: "", data: "", id: undefined },
  { event: "rows", data: "[1]", id: "b" },
  { event: "message", data: "x\ny", id: undefined },
];

test("events come out of the text, comments as signs of life", () => {
  expect(createEventParser()(stream)).toEqual(events);
});

test("wherever the text is cut", () => {
  assertProperty(
    fc.property(fc.array(fc.nat(stream.length), { maxLength: 12 }), (cuts) => {
      const parse = createEventParser();
      const places = [0, ...cuts.toSorted((a, b) => a - b), stream.length];
      const found = places.slice(1).flatMap((end, index) => parse(stream.slice(places[index], end)));
      expect(found).toEqual(events);
    }),
    { numRuns: 200 },
  );
});

test("a line of a thousand parts is put together once, and no part is searched twice", () => {
  const searched = vi.spyOn(String.prototype, "split");
  const parse = createEventParser();
  parse("data: ");
  const part = "x".repeat(1024);
  for (let n = 0; n < 1000; n++) parse(part);
  const characters = searched.mock.contexts.reduce((sum: number, text) => sum + String(text).length, 0);
  vi.restoreAllMocks();
  expect(characters).toBe(1_024_006);
  expect(parse("\n\n")).toMatchObject([{ data: part.repeat(1000) }]);
});

test("a line without an end is refused above 64 MiB", () => {
  const parse = createEventParser();
  const part = "x".repeat(8 * 1024 * 1024);
  for (let n = 0; n < 8; n++) parse(part);
  expect(() => parse("x")).toThrow("a line of the stream is too long");
});
