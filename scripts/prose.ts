// Checks the prose of what users read: the pages, the help of the command line, and the texts in sources.
import { spawnSync } from "node:child_process";
import { devNull } from "node:os";
import { type ListedCommand, listedCommands } from "../packages/cli/src/listed-commands.ts";
import type { CliSeams } from "../packages/cli/src/seams.ts";
import { textsOf } from "./prose/texts.ts";
import { readCommandLine } from "./source/command-line.ts";
import { isProduct, isTesting, readPackages } from "./source/files.ts";

const usage = `node scripts/prose.ts [PAGE…]

Checks the prose of pages for users, of the help of the command line, and of the texts in sources. Of pages that are named, also those in
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

const printing = /^(?:packages|tools\/(?:sandbox|demo))\//;

/** Texts in sources: only the turns of texts.yml, since a text need not be a sentence. */
function lintTexts(): number {
  const texts = readPackages()
    .filter(({ path }) => printing.test(path) && isProduct(path) && !isTesting(path))
    .flatMap(textsOf);
  const { stdout, error } = spawnSync(
    "textlint",
    [
      "--config",
      "scripts/prose/texts.textlintrc.json",
      "--format",
      "json",
      "--stdin",
      "--stdin-filename",
      "a.txt",
    ],
    { input: texts.map(({ text }) => text).join("\n"), encoding: "utf8", maxBuffer: 64 << 20 },
  );
  if (error !== undefined) throw error;
  const [found] = JSON.parse(stdout) as readonly { readonly messages: readonly Finding[] }[];
  for (const { line, message } of found?.messages ?? []) {
    const { path = "", text = "" } = texts[line - 1] ?? {};
    console.log(`${path}: "${text}": ${message}`);
  }
  return (found?.messages.length ?? 0) > 0 ? 1 : 0;
}

interface Finding {
  readonly line: number;
  readonly message: string;
}

process.exitCode =
  positionals.length > 0
    ? lint(["--ignore-path", devNull, ...positionals])
    : Math.max(
        lint(["--quiet", ...pages]),
        lint(["--quiet", "--stdin", "--stdin-filename", "help.md"], await helpPage()),
        lintTexts(),
      );
