// Checks the prose of what users read: the pages, and the help of the command line.
import { spawnSync } from "node:child_process";
import { devNull } from "node:os";
import { type ListedCommand, listedCommands } from "../packages/cli/src/listed-commands.ts";
import type { CliSeams } from "../packages/cli/src/seams.ts";
import { readCommandLine } from "./source/command-line.ts";

const usage = `node scripts/prose.ts [PAGE…]

Checks the prose of pages for users and of the help of the command line. Of pages that are named, also those in
.textlintignore, it shows warnings as well, such as the passive voice.`;
const { positionals } = readCommandLine(usage, {}, true);

type Command = ReturnType<Awaited<ReturnType<ListedCommand["load"]>>>;

/** With the pages that are generated from flags, errors, CRDs, and the chart. */
const pages = [
  "{README,CONTRIBUTING,SCOPE,SECURITY,AGENTS}.md",
  "docs/*.md",
  "{packages,tools}/*/README{,.npm}.md",
  "{deploy,examples}/**/README.md",
];

/** What the help says, as a page. */
async function helpPage(): Promise<string> {
  const made = listedCommands.map(async ({ load, summary }) => {
    const command = (await load())({} as CliSeams, () => undefined);
    return [summary, ...command.commands.concat(command).flatMap(linesOf)];
  });
  return `${(await Promise.all(made)).flat().join("\n\n")}\n`;
}

function linesOf(command: Command): readonly string[] {
  const names = command.registeredArguments.map((one) => `- ${one.name()}: ${one.description}`);
  const options = command.options.map(({ flags, description }) => `- \`${flags}\`: ${description}`);
  return [`# ${command.name()}`, command.description(), ...names, ...options];
}

function lint(args: readonly string[], input = ""): number {
  const options = ["--format", "unix", "--no-color"];
  const { status, error } = spawnSync("textlint", [...options, ...args], {
    input,
    stdio: ["pipe", "inherit", "inherit"],
  });
  if (error !== undefined) throw error;
  return status ?? 1;
}

process.exitCode =
  positionals.length > 0
    ? lint(["--ignore-path", devNull, ...positionals])
    : Math.max(
        lint(["--quiet", ...pages]),
        lint(["--quiet", "--stdin", "--stdin-filename", "help.md"], await helpPage()),
      );
