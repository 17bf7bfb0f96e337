// docs/tutorial-backtest.md: its commands on files of the tree give what the page shows.
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { backtest } from "./command.ts";

const root = fileURLToPath(new URL("../../../../", import.meta.url));
const page = readFileSync(`${root}docs/tutorial-backtest.md`, "utf8");

/** Each command, and the text block right behind it. */
const shown = [
  ...page.matchAll(/^```sh\n(?:kubectl )?plimsoll backtest (--recording .*)\n```\n\n```text\n([^]*?)^```$/gm),
].map(([, words = "", text = ""]) => [words, text] as const);

test("the page shows one of them", () => {
  expect(shown).toHaveLength(1);
});

test.each(shown)("backtest %s", async (words, text) => {
  const args = words.split(" ").map((word) => word.replace(/^examples\//, `${root}examples/`));
  const { code, out, err } = await backtest(args, { nowMs: () => 0 });
  expect([code, err, out]).toEqual([0, "", text]);
});
