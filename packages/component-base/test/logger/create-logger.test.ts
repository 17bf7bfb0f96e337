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

test("secrets are hidden in every line", () => {
  const [line] = linesOf((log) => log.warn({ url: "http://user:pass@host/" }, "request failed"));
  expect(JSON.stringify(line)).not.toContain("pass");
});
