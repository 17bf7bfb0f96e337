import { expect, test } from "vitest";
import { opensWithSentence } from "../house/comments.ts";
import { bags, declaredIn, identical, typesWith } from "../house/declarations.ts";
import { isRun } from "../house/figures.ts";
import { exceeded, report } from "../house/report.ts";
import { upwardImports } from "../house/rooms.ts";
import { tinyFiles } from "../house/tiny-files.ts";
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

test("an import runs upward where the rooms of a package have no order, and the fewest are named", () => {
  const at = (path: string, ...targets: readonly string[]) =>
    file(targets.map((target) => `import {} from "${target}";`).join("\n"), `packages/a/src/${path}`);
  const down = [
    at("top/one.ts", "../low/a.ts", "./two.ts"),
    at("top/two.ts", "../low/a.ts"),
    at("low/a.ts", "b"),
  ];
  expect(upwardImports(down)).toEqual([]);
  expect(upwardImports([...down, at("low/b.ts", "../top/one.ts")])).toEqual([
    "packages/a/src/low/b.ts:1: low → top",
  ]);
});

test("a tiny file has at most 30 lines, one importer, and is no entry", () => {
  const lines = (count: number) => "//\n".repeat(count);
  const files = [
    file(
      'import {} from "./b.ts"; import {} from "./c.ts"; import {} from "./d.ts"; import {} from "./e.ts";',
      "a.ts",
    ),
    file(lines(30), "b.ts"),
    file(lines(31), "c.ts"),
    file('import {} from "./e.ts";', "d.ts"),
    file(lines(1), "e.ts"),
  ];
  expect(tinyFiles(files, new Set(["d.ts"]))).toEqual(["b.ts: only a.ts imports it"]);
});

test("declarations of two packages are the same whatever their spaces are", () => {
  const one = declaredIn(file("export function f(a: string) {\n  return a;\n}\nconst b = 1;"));
  const same = "interface Other {}\nfunction f(a: string) { return a; }\nconst b = 1;";
  const other = declaredIn(file(same, "packages/b/src/c.ts"));
  expect(identical([...one, ...other])).toEqual(["f: packages/a/src/read-pods.ts, packages/b/src/c.ts"]);
  expect(identical([...one, ...declaredIn(file(same, "packages/a/src/c.ts"))])).toEqual([]);
});

test("types of data are found by what they have, and bags of functions are not among them", () => {
  const text =
    "export interface A { readonly decision: Decision }\nexport interface B { decide(): Decision }\nexport interface C { other: number }";
  expect(typesWith(declaredIn(file(text)), /\bDecision\b/)).toEqual(["packages/a/src/read-pods.ts: A"]);
});

test("a bag has the members of those that it extends", () => {
  const source = file(
    `interface Base { a: 1; b: 2; c: 3 }
     type Both = Pick<Base, "a" | "b"> & { d: 4 };
     interface AllDeps extends Omit<Base, "a">, Both { e: 5 }
     interface OneDeps { a: 1 }`,
  );
  const names = namesOf([source], () => undefined);
  expect(bags(declaredIn(source), names).map(({ members }) => members)).toEqual([6, 1]);
});

test("a figure above what it may be is named with its places", () => {
  const figure = { what: "tiny files", goal: 3, now: 12, most: 11, places: ["a.ts"] };
  expect(exceeded([figure])).toEqual(["  a.ts", "tiny files: 12, at most 11 are allowed"]);
  expect(exceeded([{ ...figure, now: 11 }])).toEqual([]);
  expect(report([figure]).split("\n")[1]).toBe("tiny files   12     3       11");
});

test.each([
  ["packages/kube/src/index.ts", true],
  ["packages/kube/src/testing.ts", false],
  ["packages/kube/src/protobuf/testing/index.ts", false],
  ["packages/kube/test/a.test.ts", false],
  ["packages/conformance/src/index.ts", false],
  ["tools/bench/src/main.ts", false],
])("%s: operators run it: %s", (path, expected) => {
  expect(isRun({ path })).toBe(expected);
});
