import { Help } from "commander";
import { expect, test } from "vitest";
import { listedCommands } from "../src/listed-commands.ts";
import type { CliSeams } from "../src/seams.ts";

const unused = {} as CliSeams;

test.each(listedCommands)("the help lists $name as the command is", async ({ load, ...listed }) => {
  const command = (await load())(unused, () => undefined);
  expect({
    name: command.name(),
    term: new Help().subcommandTerm(command),
    description: command.description(),
  }).toEqual(listed);
});
