import { assertProperty } from "@plimsoll/properties";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { createEventParser } from "../../src/data/events.ts";

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
