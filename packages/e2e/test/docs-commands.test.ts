import { spawnSync } from "node:child_process";
import { cpSync, globSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { prometheusProgram } from "@plimsoll/testbed";
import { expect, onTestFinished, test } from "vitest";
import { local } from "./fixture.ts";

const root = local("../../../");
const pages = globSync(
  [
    "{README,CONTRIBUTING,SCOPE,SECURITY,AGENTS}.md",
    "docs/**/*.md",
    "packages/*/README.md",
    "packages/*/*/README.md",
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

/** Programs that a clone has under `npm run` only, or that want another Node than the system may have. */
const notOnThePath =
  /^(?:plimsoll|kubectl[- ]plimsoll|autoscaler|metrics-adapter|sandbox|node|npx|vitest|tsc|tsx)\s+\S/;

const allowed = new Map([
  ["README.md: plimsoll convert FILE", "after installation: the line above defines it"],
]);

test("no command of the docs is one that only some machines have", () => {
  const all = commands();
  expect(all.length).toBeGreaterThan(500);
  const wrong = all
    .filter(({ words }) => notOnThePath.test(words))
    .map(({ page, words }) => `${page}: ${words}`);
  expect(wrong.filter((text) => !allowed.has(text))).toEqual([]);
  expect([...allowed.keys()].filter((text) => !wrong.includes(text))).toEqual([]);
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

const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
  scripts: Readonly<Record<string, string>>;
};

test("every npm script of the docs exists and brings its own Node", () => {
  const names = commands().flatMap(({ words }) =>
    [...words.matchAll(/\bnpm (?:(?:--prefix \S+ )?run (?:-s )?([a-z][\w:-]*)|(test)\b)/g)].map(
      ([, name, builtIn]) => name ?? builtIn ?? "",
    ),
  );
  expect(names.length).toBeGreaterThan(20);
  expect(names.filter((name) => !scripts[name]?.startsWith("node scripts/setup.mjs "))).toEqual([]);
});

test("what checks and programs suggest to run is an npm script", () => {
  const files = globSync(["scripts/**/*.{ts,mjs}", "packages/*/src/**/*.ts"], { cwd: root });
  expect(files.length).toBeGreaterThan(500);
  const wrong = files.filter((file) =>
    /\brun '?(?:node|npx|tsx) /.test(readFileSync(join(root, file), "utf8")),
  );
  expect(wrong).toEqual([]);
});

/** As a machine is on which nothing of this clone is on the PATH, but Prometheus, which `rules test` needs. */
const outside = {
  ...process.env,
  NODE_OPTIONS: "",
  PATH: [
    ...(process.env["PATH"] ?? "").split(delimiter).filter((folder) => !folder.includes("node_modules")),
    dirname(prometheusProgram()),
  ].join(delimiter),
};

function shell(script: string, cwd: string): { readonly status: number | null; readonly stderr: string } {
  const { status, stderr } = spawnSync("sh", ["-c", script], { cwd, env: outside, encoding: "utf8" });
  return { status, stderr };
}

/** Commands that only read, one for each beginning of so many words. */
function reading(words: number): readonly string[] {
  const found = commands()
    .map((command) => command.words)
    // A variable, and the folder of a tutorial, are of something that has to run first.
    .filter((command) => /^npm run -s \S+ -- (?:--help$|[^$]*examples\/[^$]*$)/.test(command))
    .filter((command) => !/=tutorial[-a-z]*\//.test(command));
  return [...new Map(found.map((one) => [one.split(" ").slice(0, words).join(" "), one])).values()];
}

/** One of each script, as every call starts npm. */
const runnable = reading(4);

test.each(runnable)("%s works in a clone with the Node of this machine", (command) => {
  expect(shell(command, root)).toEqual({ status: 0, stderr: expect.not.stringMatching(/error/i) });
});

test.each(reading(6).filter((command) => !runnable.includes(command)))("%s works", (command) => {
  const script = command.replace(/^npm run -s (\S+) --/, (_, name: string) => {
    // What setup.mjs starts.
    const [, program = ""] = / -- (node .*)$/.exec(scripts[name] ?? "") ?? [];
    return program.replace(/^node/, `"${process.execPath}" --conditions=@plimsoll/source`);
  });
  expect(script).toMatch(/^"\S+" \S+ packages\/\w+\/src\/main.ts /);
  expect(shell(script, root)).toEqual({ status: 0, stderr: expect.not.stringMatching(/error/i) });
});

test("the shell function of the README works in every folder", () => {
  expect(runnable.length).toBeGreaterThan(3);
  const readme = pages.find(({ path }) => path === "README.md")?.text ?? "";
  const [definition = ""] = /^plimsoll\(\) .*$/m.exec(readme) ?? [];
  const folder = mkdtempSync(join(tmpdir(), "plimsoll-docs-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  cpSync(join(root, "examples/packets-per-second/hpa.yaml"), join(folder, "FILE"));
  const script = `${definition.replace("/path/to/the/clone", root)}\nplimsoll convert FILE | grep WorkloadAutoscaler`;
  expect(shell(script, folder)).toMatchObject({ status: 0 });
});
