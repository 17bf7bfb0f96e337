import { expect, test } from "vitest";
import { percent } from "../../src/ui/percent.ts";
import { clockText, ratioText } from "../../src/ui/words.ts";
import { yamlOf } from "../../src/ui/yaml.ts";

test.each([
  [0.5667, "0.567"],
  [1.8249, "1.825"],
  ["Infinity", "Infinity"],
  ["NaN", "0 ÷ 0"],
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
