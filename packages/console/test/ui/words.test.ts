import { expect, test } from "vitest";
import { percent } from "../../src/ui/percent.ts";
import { ageText, clockText, ratioText } from "../../src/ui/words.ts";
import { yamlOf } from "../../src/ui/yaml.ts";

test.each([
  [31_000, "31s"],
  [119_000, "119s"],
  [240_000, "4m"],
  [3 * 3_600_000, "3h"],
  [5 * 86_400_000, "5d"],
  [-5, "0s"],
])("%i ms are %s", (ms, text) => {
  expect(ageText(ms)).toBe(text);
});

test.each([
  [0.5667, "0.567"],
  [1.8249, "1.82"],
  ["Infinity", "Infinity"],
  [null, "—"],
] as const)("the ratio %s is shown as %s", (ratio, text) => {
  expect(ratioText(ratio)).toBe(text);
});

test("a share is never rounded up to all", () => {
  expect([percent(1), percent(0.99999), percent(0)]).toEqual(["100 %", "99.99 %", "0 %"]);
  expect(clockText("no time")).toBe("?");
});

test("yaml quotes what it would take for something else", () => {
  expect(
    yamlOf({
      name: "shop",
      odd: ["true", "0.5", "a: b", "-", 'quo"te', ""],
      empty: {},
      none: undefined,
      nested: { list: [{ a: 1, b: [] }, 2], "key: odd": null },
    }),
  ).toBe(`name: shop
odd:
- "true"
- "0.5"
- "a: b"
- "-"
- "quo\\"te"
- ""
empty: {}
nested:
  list:
  - a: 1
    b: []
  - 2
  "key: odd": null
`);
});
