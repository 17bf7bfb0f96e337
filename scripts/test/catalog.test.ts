import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { catalog, retiredCodes } from "../../packages/component-base/src/catalog/catalog.ts";
import { logCalls } from "../house/log-messages.ts";
import { readPackages, root } from "../source/files.ts";
import { parseSource } from "../source/parse.ts";

const entries = catalog.flatMap((section) => section.entries);
const calls = logCalls(readPackages());
const logged = new Set(calls.flatMap(({ messages }) => messages ?? []));
const logSections = catalog.filter(({ range }) => range[0] < 4000);

test("every code is one code of its section, and was not another message's before", () => {
  const codes = entries.map(({ code }) => code);
  expect(new Set([...codes, ...retiredCodes]).size).toBe(codes.length + retiredCodes.length);
  for (const { range, entries: inSection } of catalog) {
    for (const { code } of inSection) {
      expect(code).toMatch(/^PLM\d{4}$/);
      expect(Number(code.slice(3))).toBeGreaterThanOrEqual(range[0]);
      expect(Number(code.slice(3))).toBeLessThanOrEqual(range[1]);
    }
  }
});

test("every message has one entry, which says what to do or is a reason that a page explains", () => {
  expect(new Set(entries.map(({ message }) => message)).size).toBe(entries.length);
  const pages = ["events", "metric-rules"].map((name) => readFileSync(join(root, `docs/${name}.md`), "utf8"));
  const unexplained = entries.filter(({ code, message, help }) =>
    code < "PLM5" ? help?.endsWith(".") !== true : !pages.some((page) => page.includes(`\`${message}\``)),
  );
  expect(unexplained).toEqual([]);
});

test("what is logged as a warning or an error is constant", () => {
  expect(calls.length).toBeGreaterThan(40);
  expect(calls.filter(({ messages }) => messages === undefined).map(({ path }) => path)).toEqual([]);
});

test("every warning and error that is logged has a code", () => {
  const known = new Set(logSections.flatMap((section) => section.entries.map(({ message }) => message)));
  expect([...logged].filter((message) => !known.has(message))).toEqual([]);
});

test("every code of a log line is used; one that is not is retired", () => {
  const unused = logSections.flatMap((section) =>
    section.entries.filter(({ message }) => !logged.has(message)),
  );
  expect(unused.map(({ code, message }) => `${code} ${message}`)).toEqual([]);
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
