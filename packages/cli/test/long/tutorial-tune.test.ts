// docs/tutorial-backtest.md: its last step, a simulated fortnight that is tuned, gives what the page shows.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { testFolder } from "@plimsoll/testbed/world";
import { expect, test } from "vitest";
import { plimsoll } from "../run-plimsoll.ts";

const root = fileURLToPath(new URL("../../../../", import.meta.url));
const [, section = ""] = readFileSync(`${root}docs/tutorial-backtest.md`, "utf8").split(
  "## Which target is best",
);

test("the last step of the tutorial", async () => {
  const folder = testFolder();
  const commands = [...section.matchAll(/^(?:kubectl )?plimsoll (.*)$/gm)].map(([, words = ""]) =>
    words
      .split(" ")
      .map((word) => word.replace(/^examples\//, `${root}examples/`).replace("$FOLDER", folder)),
  );
  expect(commands.map(([name]) => name)).toEqual(["simulate", "tune"]);
  let out = "";
  for (const args of commands) {
    const ran = await plimsoll(args);
    expect(ran.code).toBe(0);
    out = ran.out;
  }
  const [, shown = ""] = /^```text\n([^]*?)^```$/m.exec(section) ?? [];
  expect(shown).toMatch(/^1 .*target 50 → 70$/m);
  expect(out).toContain(shown.replace(/, \d+ s; today/, ", 0 s; today"));
  expect(readdirSync(join(folder, "tune-orders")).toSorted()).toContain("1.patch.yaml");
});
