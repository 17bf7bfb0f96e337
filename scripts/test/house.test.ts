import { expect, test } from "vitest";
import { followWay, starts } from "../house/call-path.ts";
import { hasDocstring, opensWithSentence, undocumentedNames } from "../house/comments.ts";
import { countParameters, parametersNamed } from "../house/parameters.ts";
import { ideas, placesOf } from "../house/twins.ts";
import { readPackages } from "../source/files.ts";
import { namesOf } from "../source/names.ts";
import { parseSource } from "../source/parse.ts";

const file = (text: string, path = "packages/a/src/read-pods.ts") => parseSource(path, text);

test.each([
  ["a comment before everything else", "// Reads pods.\nimport { a } from './a.ts';", true],
  ["no comment", "import { a } from './a.ts';\nexport const b = a;", false],
  ["a comment within", "import { a } from './a.ts';\n// Reads.\nconst b = a;\nexport const c = b;", false],
  ["a docstring of its first export", "const a = 1;\n/** Reads pods. */\nexport const b = a;", true],
  [
    "a docstring of the export that is named as the file",
    "export const a = 1;\n/** Reads pods. */\nexport function readPods() {}",
    true,
  ],
  ["a docstring of another export", "/** One. */\nexport const a = 1;\nexport function readPods() {}", false],
  ["re-exports alone", "export { a } from './a.ts';", false],
  ["a rule for a tool alone", "// ---\nexport const a = 1;", false],
])("opens with a sentence: %s", (_, text, isOpening) => {
  expect(opensWithSentence(file(text))).toBe(isOpening);
});

test("a docstring stands right above", () => {
  const source = file("/** One. */\nconst a = 1;\n\nconst b = 2;\n// A line.\nconst c = 3;");
  expect(source.program.body.map((node) => hasDocstring(source, node))).toEqual([true, false, false]);
});

test("finds exported names without a docstring behind re-exports of public packages", () => {
  const files = [
    parseSource(
      "packages/a/src/index.ts",
      "export { one, type Two as Three } from './b.ts';\nexport * from './c.ts';",
    ),
    parseSource("packages/a/src/b.ts", "/** One. */\nexport const one = 1;\nexport interface Two {}"),
    parseSource("packages/a/src/c.ts", "export function four() {}\nconst five = 5;"),
  ];
  const names = namesOf(files, () => undefined);
  const entry = { name: "@plimsoll/a", path: "packages/a/src/index.ts", isPublic: true };
  expect(undocumentedNames([entry], names)).toEqual(["a: Two", "a: four"]);
  expect(undocumentedNames([{ ...entry, isPublic: false }], names)).toEqual([]);
});

test.each([
  ["an argument", "function f(a) { g(a); }", 1],
  ["an argument of a constructor", "const f = (a) => { new G(a); };", 1],
  ["a property of an object", "function f(a, b) { g({ a, x: b }); }", 2],
  ["a destructured parameter", "function f({ a, b: c }) { g(a, c); }", 2],
  ["a member is read", "function f(a) { g(a, a.b); }", 0],
  ["it is called", "function f(a) { a(); }", 0],
  ["it is computed with", "function f(a) { g(a + 1); }", 0],
  ["it is returned", "function f(a) { return a; }", 0],
  ["only a property of that name", "function f(a, b) { g(a); b.a; }", 1],
])("counts parameters that are only passed on: %s", (_, text, onlyPassedOn) => {
  expect(countParameters(file(text)).onlyPassedOn).toBe(onlyPassedOn);
});

test("leaves parameters out that are not mentioned", () => {
  expect(countParameters(file("function f(a, b) { a.c; } type T = (b: string) => void;"))).toEqual({
    used: 1,
    onlyPassedOn: 0,
  });
});

test("counts functions with a parameter of a name", () => {
  expect(parametersNamed("o", file("const f = (o) => o; function g(a, { o }) {} const o = 1;"))).toBe(2);
});

test("follows a way by name over files, and counts where it may end early", () => {
  const at = (name: string) => `packages/autoscaler/src/${name}.ts`;
  const files = [
    parseSource(
      at("start"),
      `import { half, two } from "./two.ts"; import { decide } from "@plimsoll/core"; import { read } from "@plimsoll/observe";
       export async function start(a) { if (a) return; for (;;) break; await one(); decide(a); a.two(); const f = () => { return read(); }; return f; }
       async function one() { half(); return two(); }
       function unused() { return three(); }`,
    ),
    parseSource(
      at("two"),
      "export async function two() { if (two) return two(); return 1; } export function half() {} export function three() {}",
    ),
    parseSource("packages/observe/src/index.ts", 'export { read } from "./read.ts";'),
    parseSource("packages/observe/src/read.ts", "export async function read() { for (;;) return 1; }"),
    parseSource("packages/core/src/index.ts", "export function decide() {}"),
  ];
  const names = namesOf(files, (entry) => `packages/${entry.split("/")[1]}/src/index.ts`);
  const way = followWay(names, [`${at("start")}#start`]);
  expect(way.stops.map(({ name }) => name)).toEqual(["two", "read"]);
  expect(way).toMatchObject({ files: 2, returns: 2 });
});

test("the steps that the way starts from exist", () => {
  const names = namesOf(readPackages(), () => undefined);
  const missing = starts.filter((start) => {
    const [path = "", name = ""] = start.split("#");
    return names.declarationOf({ path, name }) === undefined;
  });
  expect(missing).toEqual([]);
});

test.each([
  ["label selectors", 'const operators = [["NotIn", "notin"]];', 'const schema = ["In", "NotIn"];'],
  ["Go durations", "export function parseGoDuration() {}", "parseGoDuration(text);"],
  ["flags", "function flag(name) {}", "flag(name);"],
  ["Logger", "interface Log { readonly info: F; readonly warn: F; }", "log.info(1); log.warn(2);"],
  ["isOlder", "function isOlder(a, b) {}", "isOlder(a, b);"],
  ["mutation caches", "const written = new Map();", "const written = await write();"],
  ["bounded maps", "if (known.size >= maxKnown) known.clear();", "if (known.size > 0) read();"],
  ["bounded maps", "const lru = new LRUCache(1);", "if (named.size >= maxNamed) break;"],
  ["bounded maps", "for (const [first] of map) map.keys().next();", "if (known.size > 0) known.delete(key);"],
  ["backoff", "const next = Math.min(delayMs * 2, maxMs);", "const twice = delayMs * 2;"],
  [
    "keyed controllers",
    "function createBoundsController() {}",
    "function createBoundsController() { return createKeyedController({}); }",
  ],
])("finds where an idea is written: %s", (name, text, other) => {
  const idea = ideas.find((one) => one.name === name);
  expect(idea).toBeDefined();
  if (idea === undefined) return;
  expect(placesOf(idea, [file(text)])).toHaveLength(1);
  expect(placesOf(idea, [file(other)])).toEqual([]);
});

test("each idea is written once", () => {
  const files = readPackages();
  const places = ideas.map((idea) => [idea.name, placesOf(idea, files)] as const);
  expect(places.filter(([, { length }]) => length !== 1)).toEqual([]);
});
