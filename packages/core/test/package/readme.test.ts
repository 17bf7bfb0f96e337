import { readFileSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import { join } from "node:path";
import { expect, test } from "vitest";
import * as core from "../../src/index.ts";
import * as api from "../../src/objects/api/index.ts";
import * as quantity from "../../src/values/quantity/index.ts";
import * as selector from "../../src/values/selector/index.ts";
import { coreDir, entries } from "./run.ts";

const readme = readFileSync(join(coreDir, "README.md"), "utf8");

test("the README's example is ten lines and prints what the text says", () => {
  const code = /```ts\n([\s\S]*?)```/.exec(readme)?.[1] ?? "";
  expect(code.split("\n").filter((line) => line.trim() !== "")).toHaveLength(10);
  const printed: unknown[][] = [];
  const body = code.replace(/^import \{(.*)\} from "@plimsoll\/core";$/m, "const {$1} = core;");
  expect(body).not.toBe(code);
  const script = stripTypeScriptTypes(body);
  // oxlint-disable-next-line typescript/no-implied-eval -- the example is ours, and running it is the point
  const example = new Function("core", "console", script) as (core: unknown, console: unknown) => void;
  example(core, { log: (...values: unknown[]) => printed.push(values) });
  expect(printed).toHaveLength(1);
  const [scaleTo, remembered, words] = printed[0] ?? [];
  expect([scaleTo, remembered]).toEqual([4, 2]);
  expect(words).toContain("queue_depth");
  expect(readme).toContain("It prints `4`");
});

const tables = [
  "coreVersion",
  "cronDescriptors",
  "cronHpaBoundsPolicies",
  "cronHpaLimits",
  "defaultOptions",
  "limitMessages",
  "maxQueries",
  "podReasons",
  "recordApiVersion",
  "stabilizationMessages",
  "semanticsProfiles",
  "summaryStates",
];

test.each(entries.filter(([entry]) => !entry.startsWith("./internal/")))(
  "the README lists the functions of %s, and no others",
  async (entry, source) => {
    const module = (await import(source)) as Readonly<Record<string, unknown>>;
    const from = readme.indexOf(`| from \`${join("@plimsoll/core", entry)}\` `);
    expect(from).toBeGreaterThan(0);
    const table = readme.slice(from, readme.indexOf("\n\n", from));
    const listed = [...table.matchAll(/^\| (`[^|]*)\|/gm)].flatMap(([, cell]) =>
      [...(cell ?? "").matchAll(/`(\w+)/g)].map((match) => match[1]),
    );
    const functions = Object.entries(module)
      .filter(([, value]) => typeof value === "function" && !isErrorClass(value))
      .map(([name]) => name);
    const others = Object.keys(module).filter((name) => typeof module[name] !== "function");
    expect(others.filter((name) => !tables.includes(name))).toEqual([]);
    expect(new Set(listed)).toEqual(new Set(functions));
  },
);

test("the README lists every error that is thrown", () => {
  const errors = Object.entries({ ...core, ...api, ...quantity, ...selector }).filter(([, value]) =>
    isErrorClass(value),
  );
  expect(errors.length).toBeGreaterThan(0);
  for (const [name] of errors) expect(readme).toMatch(new RegExp(`^\\| \`${name}\` `, "m"));
});

function isErrorClass(value: unknown): boolean {
  return typeof value === "function" && value.prototype instanceof Error;
}
