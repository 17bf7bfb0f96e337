// The state in the address: it comes back as it was, and whatever an address has does no harm.
import { assertProperty } from "@plimsoll/properties";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { fragmentOf, linkProblem, stateOf } from "../../src/playground/link.ts";
import { maxTextLength } from "../../src/playground/read-yaml.ts";

const state = { hpa: "kind: Ä\n", situation: "replicas: 4", edits: { min: "3" } };
const messageOf = (fragment: string) => {
  const read = stateOf(fragment);
  return read?.ok === false ? read.message : read;
};
const encoded = (value: unknown) => `v1.${Buffer.from(JSON.stringify(value)).toString("base64url")}`;

test("every state comes back", () => {
  const text = fc.string({ unit: "binary", maxLength: 200 });
  const edits = fc.dictionary(fc.stringMatching(/^[a-z]{1,10}$/), fc.string({ maxLength: 50 }));
  assertProperty(
    fc.property(text, text, edits, (hpa, situation, edits) => {
      const read = stateOf(`#${fragmentOf({ hpa, situation, edits })}`);
      expect(read).toEqual({ ok: true, state: { hpa, situation, edits: { ...edits } } });
    }),
    { numRuns: 1000 },
  );
});

test("a fragment of today is read for ever", () => {
  const fragment = "v1.WyJraW5kOiDDhFxuIiwicmVwbGljYXM6IDQiLHsibWluIjoiMyJ9XQ";
  expect(fragmentOf(state)).toBe(fragment);
  expect(stateOf(fragment)).toEqual({ ok: true, state });
});

test.each(["", "#", "#links", "#v1", "#v1links", "#vx.abc"])("%s is not a state", (fragment) => {
  expect(stateOf(fragment)).toBeUndefined();
});

test("another version, a damaged or an oversized link is refused with a reason", () => {
  expect(messageOf("#v2.abc")).toBe("The link has the form v2, and this page reads v1: open a newer page.");
  expect(messageOf(`#v1.${"A".repeat(140_000)}`)).toContain("140003 characters");
  for (const damaged of [
    "v1.",
    "v1.%%%",
    "v1.____",
    "v1.AAAAA",
    encoded({}),
    encoded([1, "b", {}]),
    encoded(["a", "b"]),
    encoded(["a".repeat(maxTextLength + 1), "b", {}]),
    encoded(["a", "b", { min: 3 }]),
    encoded(["a", "b", { "<img>": "3" }]),
    encoded(["a", "b", { min: "x".repeat(51) }]),
    encoded(["a", "b", Object.fromEntries(Array.from({ length: 51 }, (_, index) => [`v${index}`, "1"]))]),
  ])
    expect(messageOf(damaged)).toBe("The link is damaged: copy it once more.");
});

test("no fragment throws", () => {
  assertProperty(
    fc.property(fc.string({ maxLength: 300 }), (text) => {
      expect(() => stateOf(`#v1.${text}`)).not.toThrow();
    }),
    { numRuns: 1000 },
  );
});

test.each(["a", "\u5b57", '"'])("two texts as long as a text may be have a link, of %s too", (letter) => {
  const text = letter.repeat(maxTextLength);
  const full = { hpa: text, situation: text, edits: {} };
  expect(linkProblem(full)).toBeUndefined();
  expect(stateOf(fragmentOf(full))).toEqual({ ok: true, state: full });
});

test.each([
  [{ ...state, hpa: "a".repeat(maxTextLength + 1) }, "A text has 16385 characters"],
  [{ ...state, edits: { v0: "1".repeat(51) } }, "A value has 51 characters"],
  [
    { ...state, hpa: "\u0001".repeat(maxTextLength), situation: "\u0001".repeat(maxTextLength) },
    "The link has ",
  ],
])("a link that this page would refuse is not made", (tooMuch, problem) => {
  expect(linkProblem(tooMuch)).toContain(problem);
  expect(stateOf(fragmentOf(tooMuch))?.ok).toBe(false);
});
