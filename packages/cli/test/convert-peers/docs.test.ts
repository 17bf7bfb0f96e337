// docs/convert.md against the program.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { plimsoll } from "../run-plimsoll.ts";

const root = join(import.meta.dirname, "../../../..");

test("the page shows what the commands write", async () => {
  const page = await readFile(join(root, "docs/convert.md"), "utf8");
  const blocks = [...page.matchAll(/^```console\n([^]*?)^```$/gm)].map(([, block = ""]) => block);
  const shown = blocks.flatMap((block) => block.split(/^\$ /m).slice(1));
  expect(shown).toHaveLength(2);
  for (const text of shown) {
    const [line = "", ...output] = text.split("\n");
    const args = line.replace("plimsoll ", "").split(" ");
    const { code, out } = await plimsoll(args, { readText: (path) => readFile(join(root, path), "utf8") });
    expect([code, out]).toEqual([0, output.join("\n")]);
  }
});
