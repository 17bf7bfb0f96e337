// docs/cli.md against the program.
import { readFileSync } from "node:fs";
import type { Command } from "commander";
import { expect, test } from "vitest";
import { clusterCommand } from "../src/cluster/flags.ts";
import { listedCommands } from "../src/listed-commands.ts";
import type { CliSeams } from "../src/seams.ts";

const page = readFileSync(new URL("../../../docs/cli.md", import.meta.url), "utf8");
const unused = {} as CliSeams;

test("the page has each command, and no other", async () => {
  const made = await Promise.all(
    listedCommands.map(async ({ load }) => (await load())(unused, () => undefined)),
  );
  const names = made.flatMap((command) => [
    // One that takes files does something itself, whatever else is below it.
    ...(command.commands.length === 0 || command.registeredArguments.length > 0 ? [command.name()] : []),
    ...command.commands.map((one) => `${command.name()} ${one.name()}`),
  ]);
  const rows = [...page.matchAll(/^\| `([a-z]+(?: [a-z]+)?)\b[^`]*` \|/gm)].map(([, name = ""]) => name);
  expect(rows.toSorted()).toEqual(names.toSorted());
});

test("the page names each flag that the commands for clusters have", () => {
  const command: Command = clusterCommand({ name: "x", description: "", outputs: ["table"] });
  const missing = command.options
    .map(({ short, long }) => [short, long])
    .filter((names) => !names.some((name) => page.includes(`\`${name}`)));
  expect(missing).toEqual([]);
});
