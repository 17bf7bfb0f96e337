import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { fileFolder } from "@plimsoll/testbed/world";
import { beforeAll, expect, test } from "vitest";
import { compile, packCore } from "./pack.ts";
import { coreDir, entries, plainNode, plainNpm, repoDir, run } from "./run.ts";

const folder = fileFolder();
const project = join(folder, "project");
const installed = join(project, "node_modules", "@plimsoll", "core");
const consumers = join(import.meta.dirname, "consumer");
const readme = readFileSync(join(coreDir, "README.md"), "utf8");
const examples = [...readme.matchAll(/```[jt]s\n([\s\S]*?)```/g)].map(
  ([, code = ""], index) => [index, code] as const,
);
let tarball = "";

beforeAll(() => {
  tarball = packCore(folder);
  mkdirSync(project);
  writeFileSync(join(project, "package.json"), JSON.stringify({ name: "consumer", type: "module" }));
  const quiet = ["--offline", "--no-audit", "--no-fund", "--ignore-scripts"];
  run(plainNpm(), ["install", ...quiet, "--cache", join(folder, "cache"), tarball], project);
  cpSync(consumers, project, { recursive: true });
  // Types only: nothing of the client is run.
  mkdirSync(join(project, "node_modules", "@kubernetes"));
  const client = join(repoDir, "packages", "kube", "node_modules", "@kubernetes", "client-node");
  symlinkSync(client, join(project, "node_modules", "@kubernetes", "client-node"));
});

test("decides in an empty project under plain Node", () => {
  const version = run(plainNode(), ["--version"], project).trim();
  console.log(`node outside the workspace: ${version}`);
  expect(Number(/^v(\d+)/.exec(version)?.[1])).toBeGreaterThanOrEqual(20);
  const said = run(plainNode(), ["consume.mjs"], project);
  expect(JSON.parse(said)).toEqual({
    scaleTo: 4,
    reason: "cpu resource utilization (percentage of request) above target",
    milli: "250",
    text: "1500m",
  });
});

test("ships only what a user needs, with no import that plain Node cannot load", () => {
  expect(readdirSync(installed).sort()).toEqual([
    "LICENSE",
    "README.md",
    "api",
    "dist",
    "package.json",
    "src",
  ]);
  expect(existsSync(join(installed, "dist", ".tsbuildinfo"))).toBe(false);
  expect(existsSync(join(installed, "dist", "index.js"))).toBe(true);
  expect(existsSync(join(installed, "dist", "values", "quantity", "index.d.ts"))).toBe(true);
  const [entry] = ["@plimsoll/core"].map(
    (name) => `console.log(import.meta.resolve(${JSON.stringify(name)}))`,
  );
  const condition = "--conditions=@plimsoll/source";
  const resolved = (flags: readonly string[]) =>
    run(plainNode(), [...flags, "--input-type=module", "--eval", entry ?? ""], project).trim();
  expect(resolved([])).toMatch(/\/dist\/index\.js$/);
  expect(resolved([condition])).toMatch(/\/src\/index\.ts$/);
});

test.each([
  ["nodenext", { module: "nodenext", moduleResolution: "nodenext" }],
  ["bundler", { module: "esnext", moduleResolution: "bundler" }],
])("type-checks for a consumer who resolves as %s", (name, resolution) => {
  const config = join(project, `tsconfig.${name}.json`);
  const compilerOptions = {
    ...resolution,
    target: "es2022",
    lib: ["es2022"],
    types: [],
    strict: true,
    exactOptionalPropertyTypes: true,
    noEmit: true,
  };
  writeFileSync(config, JSON.stringify({ compilerOptions, files: ["consume.ts"] }));
  expect(compile(["-p", config], project)).toBe("");
});

test.each(examples)("the README's example %i type-checks and runs for a consumer", (index, code) => {
  const source = `readme-${index}.ts`;
  writeFileSync(join(project, source), code);
  writeFileSync(join(project, "console.d.ts"), "declare const console: { log(...values: unknown[]): void };");
  const config = join(project, `tsconfig.readme-${index}.json`);
  const compilerOptions = { module: "nodenext", target: "es2022", lib: ["es2022"], types: [], strict: true };
  writeFileSync(config, JSON.stringify({ compilerOptions, files: [source, "console.d.ts"] }));
  expect(compile(["-p", config], project)).toBe("");
  run(plainNode(), [`readme-${index}.js`], project);
});

test("every link of the README leads to a file of the package", () => {
  const links = [...readme.matchAll(/\]\(([^)#]+)(?:#[^)]*)?\)/g)].map(([, target = ""]) => target);
  expect(links.length).toBeGreaterThan(0);
  expect(links.filter((target) => !existsSync(join(installed, target)))).toEqual([]);
});

test("takes the objects of Kubernetes' own client as they are", () => {
  const config = join(project, "tsconfig.client.json");
  const compilerOptions = {
    module: "nodenext",
    target: "es2022",
    types: [],
    strict: true,
    skipLibCheck: true,
    noEmit: true,
  };
  writeFileSync(config, JSON.stringify({ compilerOptions, files: ["client-objects.ts"] }));
  expect(compile(["-p", config], project)).toBe("");
});

test("publint finds nothing to say", async () => {
  const { publint } = await import("publint");
  const { messages } = await publint({ pkgDir: installed, pack: false, strict: true });
  expect(messages).toEqual([]);
});

test("are-the-types-wrong finds nothing wrong for ESM users", async () => {
  const { checkPackage, createPackageFromTarballData } = await import("@arethetypeswrong/core");
  const { readFile } = await import("node:fs/promises");
  const checked = await checkPackage(createPackageFromTarballData(new Uint8Array(await readFile(tarball))));
  if (!checked.types) throw new Error("the package has no types");
  // What its profile "esm-only" leaves out: resolutions that know no ES modules or come from CommonJS.
  const left = new Set(["node10", "node16-cjs"]);
  const problems = checked.problems.filter(
    (problem) => !("resolutionKind" in problem) || !left.has(problem.resolutionKind),
  );
  expect(problems).toEqual([]);
  expect(Object.keys(checked.entrypoints)).toEqual(entries.map(([entry]) => entry));
});
