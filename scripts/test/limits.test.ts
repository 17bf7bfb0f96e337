import { expect, test } from "vitest";
import { hooksAtTop, unexplainedLimits } from "../house/tests.ts";

test.each([
  'test("scales", { timeout: 60_000 }, async () => {',
  "  timeout: minutes * 60_000 + 120_000,",
  "vi.setConfig({ testTimeout: 60_000 });",
  "}, 60_000);",
  "afterAll(() => stop?.(), 30_000);",
])("a limit needs a reason above it: %s", (line) => {
  expect(unexplainedLimits(`begin();\n${line}\n`)).toEqual([2]);
  expect(unexplainedLimits(`// It runs for as long as the caller says.\n${line}\n`)).toEqual([]);
});

test.each([
  "  return vi.waitFor(check, { timeout: limitMs, interval: 10 });",
  "  await advanceFenced(clock, members, 60_000);",
  'await kube.request({ path: "/x", timeoutMs: 200 });',
  '    timeout: fc.constantFrom("", "1", "1s"),',
  '"--query-timeout: must be above 0s",',
])("times that tests are about are no limits: %s", (line) => {
  expect(unexplainedLimits(line)).toEqual([]);
});

test("a hook at the top of a module that files share counts for the first of them", () => {
  expect(hooksAtTop("afterEach(async () => {\n")).toEqual([1]);
  expect(hooksAtTop("vi.setConfig({ testTimeout: limitMs });\n")).toEqual([1]);
  expect(hooksAtTop("export function useSandbox() {\n  beforeEach(() => {});\n}\n")).toEqual([]);
});
