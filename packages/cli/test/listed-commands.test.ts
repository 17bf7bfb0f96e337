import { Help } from "commander";
import { expect, test } from "vitest";
import { listedCommands } from "../src/listed-commands.ts";
import type { CliSeams } from "../src/seams.ts";
import { plimsoll } from "./run-plimsoll.ts";

const unused = {} as CliSeams;

test.each(listedCommands)("the help lists $name as the command is", async ({ name, term, load }) => {
  const command = (await load())(unused, () => undefined);
  const usual = new Help().subcommandTerm(command).replaceAll(/ \[(?:options|command)\]/g, "");
  expect([command.name(), usual]).toEqual([name, term]);
});

test("the help groups the commands, one line for each in 80 columns", async () => {
  const { out } = await plimsoll(["--help"]);
  const headings = [...out.matchAll(/^[A-Z].*:$/gm)].map(([heading]) => heading);
  const groups = [...new Set(listedCommands.map(({ group }) => group))];
  expect(headings).toEqual(["Options:", ...groups, "Examples:"]);
  const lines = out.split("\n");
  const isShown = ({ term, summary }: { readonly term: string; readonly summary: string }): boolean =>
    lines.some((line) => line.startsWith(`  ${term} `) && line.endsWith(` ${summary}`));
  expect(listedCommands.filter((one) => !isShown(one))).toEqual([]);
});

test.each(listedCommands.flatMap(({ examples }) => examples))(
  "the help shows the example %s, and has its flags",
  async (line) => {
    const { out } = await plimsoll([...line.split(" "), "--help"]);
    const [options = "", examples = ""] = out.split("Examples:\n");
    expect(examples).toContain(`  plimsoll ${line}\n`);
    for (const [flag] of line.matchAll(/(?<= )-[-\w]+/g)) expect(options).toMatch(new RegExp(` ${flag}[, ]`));
  },
);

test("rollback has its former name, too", async () => {
  const [now, before] = [
    await plimsoll(["rollback", "plan", "--help"]),
    await plimsoll(["release", "plan", "--help"]),
  ];
  expect(now.out).toMatch(/^Usage: plimsoll rollback plan /);
  expect(before).toEqual(now);
});

test("help of a former name is the command's", async () => {
  expect(await plimsoll(["help", "release"])).toEqual(await plimsoll(["help", "rollback"]));
});

test.each(["constructor", "toString", "__proto__"])("the word %s is not a command", async (word) => {
  expect((await plimsoll([word])).err).toMatch(`error: unknown command '${word}'`);
});
