import { expect, test } from "vitest";
import { createLogger } from "../../src/logger/index.ts";

function linesOf(write: (log: ReturnType<typeof createLogger>) => void): readonly unknown[] {
  const lines: string[] = [];
  write(createLogger("info", { write: (line) => void lines.push(line) }));
  return lines.map((line): unknown => JSON.parse(line));
}

test("a message of the catalog has its code, beside its fields", () => {
  const lines = linesOf((log) => {
    log.error({ err: "why" }, "request failed");
    log.info({ port: 1 }, "serving");
  });
  expect(lines).toEqual([
    { level: "error", time: expect.any(String), code: "PLM3002", err: "why", msg: "request failed" },
    { level: "info", time: expect.any(String), port: 1, msg: "serving" },
  ]);
});

test("an error keeps its message and its stack", () => {
  const [line] = linesOf((log) => log.error({ err: new Error("why") }, "request failed"));
  expect(line).toMatchObject({ code: "PLM3002", err: { message: "why", stack: expect.any(String) } });
});

test("texts of a long line are cut, those in errors and lists too, and their secrets hidden before", () => {
  const long = `${"x".repeat(1000)} token=abc${"d".repeat(100_000)} ${"y".repeat(100_000)}`;
  const [line] = linesOf((log) =>
    log.error(
      {
        name: "short",
        selector: long,
        err: new Error(long),
        list: Array.from({ length: 10_000 }, () => "n"),
      },
      "request failed",
    ),
  );
  expect(line).toMatchObject({ msg: "request failed", code: "PLM3002", name: "short" });
  expect(JSON.stringify(line).length).toBeLessThan(16_384);
  expect(JSON.stringify(line)).not.toContain("abcd");
  expect(line).toMatchObject({ list: expect.arrayContaining(["and 9980 more"]) });
});

test("of a line that stays too long only what it is about is left", () => {
  const fields = Object.fromEntries(Array.from({ length: 100 }, (_, n) => [`f${n}`, "x".repeat(1000)]));
  const [line] = linesOf((log) => log.warn(fields, "request failed"));
  expect(line).toEqual({
    level: "warn",
    time: expect.any(String),
    msg: "request failed",
    code: "PLM3002",
    leftOut: 100,
  });
});

test("secrets are hidden in every line", () => {
  const [line] = linesOf((log) => log.warn({ url: "http://user:pass@host/" }, "request failed"));
  expect(JSON.stringify(line)).not.toContain("pass");
});
