import { expect, test } from "vitest";
import { withResolvingLinks } from "../src/npm.ts";

const from = { folder: "packages/core", inside: new Set(["README.md", "schema/record.json"]), tag: "v0.1.0" };
const blob = "https://github.com/plimsoll/plimsoll/blob/v0.1.0";

test.each([
  ["of the package itself", "[a](schema/record.json)", "[a](schema/record.json)"],
  ["of the package itself, with a dot", "[a](./schema/record.json)", "[a](./schema/record.json)"],
  ["out of the package", "[a](../../docs/cli.md)", `[a](${blob}/docs/cli.md)`],
  [
    "out of the package, to a heading",
    "[a](../../docs/cli.md#exit-codes)",
    `[a](${blob}/docs/cli.md#exit-codes)`,
  ],
  ["to a file that is not packed", "[a](test/x.ts)", `[a](${blob}/packages/core/test/x.ts)`],
  ["to a heading", "[a](#units)", "[a](#units)"],
  ["to another site", "[a](https://example.com/a(b)", "[a](https://example.com/a(b)"],
])("a link %s", (_, markdown, expected) => {
  expect(withResolvingLinks(markdown, from)).toBe(expected);
});
