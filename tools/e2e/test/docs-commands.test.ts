import { spawnSync } from "node:child_process";
import { globSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { prometheusProgram } from "@plimsoll/testbed";
import { testFolder } from "@plimsoll/testbed/world";
import { expect, test } from "vitest";
import { local } from "./fixture.ts";

const root = local("../../../");
const pages = globSync(
  [
    "{README,CONTRIBUTING,SCOPE,SECURITY,AGENTS}.md",
    "docs/**/*.md",
    "{packages,tools}/*/{,*/}README{,.npm}.md",
    "{deploy,examples}/**/README.md",
  ],
  { cwd: root, exclude: (path) => path.includes("node_modules") },
).map((path) => ({ path, text: readFileSync(join(root, path), "utf8") }));

interface Command {
  readonly page: string;
  readonly words: string;
}

/** What a reader types: lines of shell blocks without a prompt, variables and comments, and code within a sentence. */
function commands(): readonly Command[] {
  return pages.flatMap(({ path, text }) => {
    const blocks = [...text.matchAll(/^ *```(?:sh|bash|console)\n([^]*?)^ *```$/gm)].flatMap(
      ([, block = ""]) => block.replaceAll("\\\n", " ").split("\n").flatMap(parts),
    );
    const inline = [...text.replaceAll(/^ *```[^]*?^ *```$/gm, "").matchAll(/`([^`\n]+)`/g)].map(
      ([, code = ""]) => code,
    );
    return [...blocks, ...inline].map((words) => ({ page: path, words }));
  });
}

function parts(line: string): readonly string[] {
  return line
    .replace(/(?:^|\s)#.*$/, "")
    .split(/&&|\|\|?|;/)
    .map((part) =>
      part
        .trim()
        .replace(/^\$ /, "")
        .replace(/^(?:[A-Z_]+=\S+ +)+/, ""),
    )
    .filter((part) => part !== "");
}

/** What wants another Node than the system may have, or dependencies of this clone. */
const notOnThePath = /^(?:node|npx|vitest|tsc|tsx)\s+\S/;

test("no command of the docs is one that only some machines have", () => {
  const all = commands();
  expect(all.length).toBeGreaterThan(500);
  const wrong = all
    .filter(({ words }) => notOnThePath.test(words))
    .map(({ page, words }) => `${page}: ${words}`);
  expect(wrong).toEqual([]);
});

test("the programs of the clone are named literally", () => {
  const spelled = /^npm run (?:-s )?(?:plimsoll|metrics-adapter|autoscaler|sandbox|console)\b/;
  const wrong = commands().filter(({ words }) => spelled.test(words));
  expect(wrong.map(({ page, words }) => `${page}: ${words}`)).toEqual([]);
});

test("a command that needs an account of a cloud is marked as one that no test runs", () => {
  const blocks = pages.flatMap(({ path, text }) =>
    [...text.matchAll(/([^]*?)^ *```sh\n([^]*?)^ *```$/gm)].map(([, before = "", block = ""]) => ({
      path,
      block,
      isMarked:
        /\n\nNo test runs (?:this command: it needs|these commands: they need) an account of [^\n]+\n\n$/.test(
          before.slice(-200),
        ),
      isOfCloud: /^ *(?:gcloud|aws|az|eksctl) /m.test(block),
    })),
  );
  expect(blocks.filter(({ isOfCloud }) => isOfCloud).length).toBeGreaterThan(3);
  expect(blocks.filter(({ isMarked, isOfCloud }) => isMarked !== isOfCloud)).toEqual([]);
});

test("what checks and programs suggest to run is an npm script", () => {
  const files = globSync(
    ["scripts/**/*.{ts,mjs}", "{packages,tools}/*/src/**/*.ts", "docs/site/src/**/*.ts"],
    { cwd: root },
  );
  expect(files.length).toBeGreaterThan(500);
  const wrong = files.filter((file) =>
    /\brun '?(?:node|npx|tsx) /.test(readFileSync(join(root, file), "utf8")),
  );
  expect(wrong).toEqual([]);
});

/** A machine with the programs of the clone on its PATH as the docs say, and Prometheus, which `rules test` needs. */
const outside = {
  ...process.env,
  NODE_OPTIONS: "",
  PATH: [
    join(root, "bin"),
    ...(process.env["PATH"] ?? "").split(delimiter).filter((folder) => !folder.includes("node_modules")),
    dirname(prometheusProgram()),
  ].join(delimiter),
};

function shell(script: string, cwd: string): { readonly status: number | null; readonly stderr: string } {
  const { status, stderr } = spawnSync("sh", ["-c", script], { cwd, env: outside, encoding: "utf8" });
  return { status, stderr };
}

const programs = readdirSync(join(root, "bin")).map((name) => name.replace("kubectl-", "kubectl "));

/** Commands that only read, one for each beginning of so many words. */
function reading(words: number): readonly string[] {
  const found = commands()
    // Into no file of the clone.
    .map((command) => command.words.replace(/ > \S+$/, ""))
    .filter((command) => programs.some((program) => command.startsWith(`${program} `)))
    // A variable, and the folder of a tutorial, are of something that has to run first.
    .filter((command) => /^[^$]*(?: --help| examples\/[^$]*)$/.test(command))
    .filter((command) => !/=tutorial[-a-z]*\//.test(command));
  return [...new Map(found.map((one) => [one.split(" ").slice(0, words).join(" "), one])).values()];
}

/** One of each program: as a reader types it, on the Node of this machine. */
const runnable = reading(1);

test("the docs have commands that a test can run", () => {
  expect(runnable.length).toBeGreaterThan(2);
});

test.each(runnable)("%s works in a clone with the Node of this machine", (command) => {
  expect(shell(command, root)).toEqual({ status: 0, stderr: expect.not.stringMatching(/error/i) });
});

test.each(reading(3).filter((command) => !runnable.includes(command)))("%s works", (command) => {
  const script = command.replace(/^(?:kubectl )?(\S+)/, (_, name: string) => {
    // What setup.mjs starts.
    const file = readFileSync(join(root, "bin", name), "utf8");
    const [, program = ""] = / -- node (.*) "\$@"$/m.exec(file) ?? [];
    return `"${process.execPath}" --conditions=@plimsoll/source ${program}`;
  });
  expect(script).toMatch(/^"\S+" \S+ (?:--\S+ )?(?:packages|tools)\/[-\w]+\/src\/main\.ts /);
  expect(shell(script, root)).toEqual({ status: 0, stderr: expect.not.stringMatching(/error/i) });
});

test("a program of the clone runs in the reader's folder, also by a link, and passes its exit code", () => {
  const folder = testFolder();
  symlinkSync(join(root, "bin/plimsoll"), join(folder, "linked"));
  writeFileSync(join(folder, "two words.yaml"), "rules: [}");
  const script = './linked rules check "two words.yaml" 2>&1 || { echo "ended with $?"; exit 0; }';
  const { status, stdout } = spawnSync("sh", ["-c", script], { cwd: folder, env: outside, encoding: "utf8" });
  expect(status).toBe(0);
  expect(stdout).toMatch(/two words\.yaml[^]*ended with 2$/m);
});
