import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { fileFolder } from "@plimsoll/testbed/world";
import { expect, test } from "vitest";
import { checkVectorFile, findVectorFiles, runVectorFile } from "../src/index.ts";

const samples = fileURLToPath(new URL("../vectors/samples", import.meta.url));
const main = fileURLToPath(new URL("../src/main.ts", import.meta.url));
const files = await findVectorFiles(samples);

test.each(files)("%s passes", async (file) => {
  const { passed, differences } = await runVectorFile(file);
  expect(differences).toEqual([]);
  expect(passed).toBeGreaterThan(0);
});

const fileOf = (kind: string, cases: readonly unknown[], more: object = {}) => ({
  format: "plimsoll-vectors/1",
  kind,
  source: "test",
  cases,
  ...more,
});
const quantity = { name: "q", input: "750m", milli: "750" };

test.each<[string, unknown, string]>([
  ["an unknown kind", fileOf("weather", [quantity]), "kind"],
  ["an unknown format", { ...fileOf("quantity", [quantity]), format: "plimsoll-vectors/9" }, "format"],
  ["an unknown field of the file", fileOf("quantity", [quantity], { extra: 1 }), "extra"],
  ["an unknown profile", fileOf("quantity", [quantity], { semantics: "1.3" }), "semantics"],
  ["an unknown field of a case", fileOf("quantity", [{ ...quantity, extra: 1 }]), "extra"],
  ["a wrong expectation", fileOf("quantity", [{ ...quantity, milli: "751" }]), "milli"],
  ["an error that does not come", fileOf("quantity", [{ name: "q", input: "1", error: true }]), "error"],
  ["an error that should not come", fileOf("quantity", [{ name: "q", input: "x" }]), "error"],
  ["a case that is none", fileOf("quantity", [5]), ""],
  ["content that is none", [], ""],
])("%s is a failure", (_, content, path) => {
  const { passed, failed, differences } = checkVectorFile(content);
  expect({ passed, failed }).toEqual({ passed: 0, failed: 1 });
  expect(differences.map((difference) => difference.path)).toEqual([path]);
});

test("one bad case does not hide the good ones", () => {
  const { passed, failed } = checkVectorFile(fileOf("quantity", [quantity, { name: "bad" }, quantity]));
  expect({ passed, failed }).toEqual({ passed: 2, failed: 1 });
});

/** A case of a sample file with one thing in it changed must fail at just that place. */
test.each<[string, string, unknown]>([
  ["sample-proposal.json", "expect.replicas", { replicas: 77 }],
  ["sample-behavior.json", "expect.reason", { reason: "Odd" }],
  ["sample-validation.json", "expect.valid", { valid: false }],
  ["sample-defaulting.json", "expect.spec.maxReplicas", undefined],
  ["sample-cron-hpa.json", "expect.scaleTo", { scaleTo: 1 }],
  ["sample-cron-next.json", "expect.next", { next: ["2026-03-27T07:00:00Z"] }],
])("%s notices a changed %s", async (name, path, change) => {
  const { default: file } = (await import(join(samples, name), { with: { type: "json" } })) as {
    default: { kind: string; cases: readonly { expect: { spec?: object } }[] };
  };
  const [first] = file.cases;
  const changed = change ?? { spec: { ...first?.expect.spec, maxReplicas: 99 } };
  const expectation = { ...first?.expect, ...changed };
  const { differences } = checkVectorFile(fileOf(file.kind, [{ ...first, expect: expectation }]));
  expect(differences.map((difference) => difference.path)).toContain(path);
});

const folder = fileFolder();

function run(...paths: readonly string[]): Promise<{ code: number; lines: readonly string[] }> {
  return new Promise((resolve) => {
    execFile(process.execPath, [main, ...paths], (error, stdout) => {
      const code = typeof error?.code === "number" ? error.code : 0;
      resolve({ code, lines: stdout.trimEnd().split("\n") });
    });
  });
}

test("the command ends with the totals, and its exit code says whether all passed", async () => {
  expect(await run(samples)).toMatchObject({
    code: 0,
    lines: [expect.stringMatching(/^\d+ passed, 0 failed$/)],
  });
  const bad = join(folder, "bad.json");
  await writeFile(bad, JSON.stringify(fileOf("quantity", [quantity, { ...quantity, milli: "1" }])));
  const { code, lines } = await run(samples, bad, join(folder, "missing.json"));
  expect(code).toBe(1);
  expect(lines.at(-1)).toMatch(/^\d+ passed, 2 failed$/);
  expect(lines.slice(0, 5)).toEqual([
    bad,
    "  case:     q",
    "  path:     milli",
    '  expected: "1"',
    '  actual:   "750"',
  ]);
});
