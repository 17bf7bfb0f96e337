// docs/tutorial-backtest.md: its last step, a simulated fortnight that is tuned, gives what the page shows.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { runCli } from "../../src/index.ts";

const root = fileURLToPath(new URL("../../../../", import.meta.url));
const [, section = ""] = readFileSync(`${root}docs/tutorial-backtest.md`, "utf8").split(
  "## Which target is best",
);

test("the last step of the tutorial", async () => {
  const folder = mkdtempSync(join(tmpdir(), "plimsoll-tutorial-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const commands = [...section.matchAll(/^npm run -s plimsoll -- (.*)$/gm)].map(([, words = ""]) =>
    words
      .split(" ")
      .map((word) => word.replace(/^examples\//, `${root}examples/`).replace("$FOLDER", folder)),
  );
  expect(commands.map(([name]) => name)).toEqual(["simulate", "tune"]);
  let out = "";
  for (const args of commands) {
    out = "";
    const code = await runCli({
      args,
      name: "plimsoll",
      version: "1.2.3",
      readText: (file) => readFile(file, "utf8"),
      writeOut: (part) => (out += part),
      writeError: () => undefined,
      nowMs: () => 0,
      signal: new AbortController().signal,
    });
    expect(code).toBe(0);
  }
  const [, shown = ""] = /^```text\n([^]*?)^```$/m.exec(section) ?? [];
  expect(shown).toMatch(/^1 .*target 50 → 70$/m);
  expect(out).toContain(shown.replace(/, \d+ s; today/, ", 0 s; today"));
  expect(readdirSync(join(folder, "tune-orders")).toSorted()).toContain("1.patch.yaml");
});
