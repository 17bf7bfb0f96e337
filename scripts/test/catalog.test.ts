import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import * as codes from "../../packages/component-base/src/catalog/codes.ts";
import { logCalls } from "../house/log-messages.ts";
import { readPackages, root } from "../source/files.ts";
import { parseSource } from "../source/parse.ts";

const sections = [
  { title: "Log lines of the autoscaler", first: 1000, entries: Object.entries(codes.autoscalerCodes) },
  {
    title: "Log lines of the metrics adapter",
    first: 2000,
    entries: Object.entries(codes.metricsAdapterCodes),
  },
  { title: "Log lines of both", first: 3000, entries: Object.entries(codes.sharedCodes) },
  { title: "A process does not start", first: 4000, entries: Object.entries(codes.startupCodes) },
  { title: "Reasons of conditions", first: 5000, entries: Object.entries(codes.conditionCodes) },
];
const entries = sections.flatMap((section) => section.entries);
const logEntries = sections.filter(({ first }) => first < 4000).flatMap((section) => section.entries);
const calls = logCalls(readPackages());
const logged = new Set(calls.flatMap(({ messages }) => messages ?? []));

test("every code is one code of its section", () => {
  expect(new Set(entries.map(([, code]) => code)).size).toBe(entries.length);
  for (const { first, entries: inSection } of sections) {
    for (const [, code] of inSection) {
      expect(code).toMatch(/^PLM\d{4}$/);
      expect(Number(code.slice(3))).toBeGreaterThanOrEqual(first);
      expect(Number(code.slice(3))).toBeLessThanOrEqual(first + 999);
    }
  }
});

test("the page has each section's messages with their codes, and says what each message means", () => {
  const [, ...parts] = pageOf("errors").split(/^## /m);
  expect(parts.map((part) => part.slice(0, part.indexOf("\n")))).toEqual(sections.map(({ title }) => title));
  for (const [at, { first, entries: inSection }] of sections.entries()) {
    const rows = [...(parts[at] ?? "").matchAll(/^\| (PLM\d+) \| `(.+?)` \|(.*)$/gm)];
    expect(rows.map(([, code, message]) => [message, code])).toEqual(inSection);
    const unexplained = rows.filter(([, , , help]) => first < 5000 && help?.endsWith(". |") !== true);
    expect(unexplained).toEqual([]);
  }
});

test("every message has one entry, and a page explains every reason", () => {
  expect(new Set(entries.map(([message]) => message)).size).toBe(entries.length);
  const pages = ["events", "metric-rules"].map(pageOf);
  const unexplained = Object.keys(codes.conditionCodes).filter(
    (reason) => !pages.some((page) => page.includes(`\`${reason}\``)),
  );
  expect(unexplained).toEqual([]);
});

test("what is logged as a warning or an error is constant", () => {
  expect(calls.length).toBeGreaterThan(40);
  expect(calls.filter(({ messages }) => messages === undefined).map(({ path }) => path)).toEqual([]);
});

test("every warning and error that is logged has a code", () => {
  const known = new Set(logEntries.map(([message]) => message));
  expect([...logged].filter((message) => !known.has(message))).toEqual([]);
});

test("every code of a log line is used", () => {
  expect(logEntries.filter(([message]) => !logged.has(message))).toEqual([]);
});

test("finds constant messages, and those that are put together", () => {
  const text = `
    log.warn({}, "one");
    deps.log.error({ a }, isTwo ? "two" : "three");
    this.logger.warn({}, \`\${four}\`);
    document.warn(path, "five");
    log.info({}, "six");`;
  expect(logCalls([parseSource("packages/kube/src/a.ts", text)]).map(({ messages }) => messages)).toEqual([
    ["one"],
    ["two", "three"],
    undefined,
  ]);
});

function pageOf(name: string): string {
  return readFileSync(join(root, `docs/${name}.md`), "utf8");
}
