// Each flag that a help lists is used in a test.
import { globSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Command } from "commander";
import { expect, test } from "vitest";
import { listedCommands } from "../src/listed-commands.ts";
import type { CliSeams } from "../src/seams.ts";

const root = fileURLToPath(new URL("../../../", import.meta.url));
const tests = globSync(["packages/cli/test/**/*.test.ts", "tools/e2e/{test,cluster}/*.test.ts"], {
  cwd: root,
})
  .map((path) => readFileSync(`${root}${path}`, "utf8"))
  .join("\n");

const unused = {} as CliSeams;

function withInner(command: Command): readonly Command[] {
  return [command, ...command.commands.flatMap(withInner)];
}

test("no flag is without a test", async () => {
  const made = await Promise.all(
    listedCommands.map(async ({ load }) => (await load())(unused, () => undefined)),
  );
  const missing = made
    .flatMap(withInner)
    .flatMap((command) =>
      command.options
        .filter(({ short, long }) => ![short, long].some((flag) => flag !== undefined && isUsed(flag)))
        .map(({ flags }) => `${command.name()} ${flags}`),
    );
  expect(missing).toEqual([]);
});

/** As an argument: alone in its text, or with a value. */
function isUsed(flag: string): boolean {
  return ['"', "`", " "].some((before) =>
    ['"', "`", "=", " "].some((after) => tests.includes(`${before}${flag}${after}`)),
  );
}
