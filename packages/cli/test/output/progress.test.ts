// How far long work is: a line that changes on a terminal, a line for each tenth off it, and nothing for short work.
import { expect, test } from "vitest";
import { createProgress } from "../../src/output/progress.ts";
import type { Terminal } from "../../src/seams.ts";

/** What is written while `parts` take `partMs` each. */
function written(parts: number, partMs: number, terminal?: Terminal): readonly string[] {
  const texts: string[] = [];
  let nowMs = 0;
  const progress = createProgress(parts, {
    writeError: (text) => texts.push(text),
    nowMs: () => nowMs,
    ...(terminal === undefined ? {} : { terminal }),
  });
  for (let part = 0; part < parts; part++) {
    nowMs += partMs;
    progress.step();
  }
  progress.end();
  return texts;
}

test("off a terminal there is a line for each tenth, with the time that is left", () => {
  expect(written(40, 1000)).toEqual([
    "10 % of 40, 36s left\n",
    "20 % of 40, 32s left\n",
    "30 % of 40, 28s left\n",
    "40 % of 40, 24s left\n",
    "50 % of 40, 20s left\n",
    "60 % of 40, 16s left\n",
    "70 % of 40, 12s left\n",
    "80 % of 40, 8s left\n",
    "90 % of 40, 4s left\n",
  ]);
});

test("on a terminal one line changes, and is removed at the end", () => {
  const texts = written(4, 60_000, { isTty: true, columns: 80, isUtf8: true });
  expect(texts).toEqual([
    "\r\u001B[K25 % of 4, 3m left",
    "\r\u001B[K50 % of 4, 2m left",
    "\r\u001B[K75 % of 4, 60s left",
    "\r\u001B[K",
  ]);
});

test("the error output counts, whatever shows the report", () => {
  const terminal = { columns: 80, isUtf8: true };
  expect(written(4, 60_000, { ...terminal, isTty: true, isErrorTty: false })[0]).toBe("25 % of 4, 3m left\n");
  expect(written(4, 60_000, { ...terminal, isTty: false, isErrorTty: true })[0]).toMatch(/^\r/);
});

test("short work shows nothing", () => {
  expect(written(10, 100)).toEqual([]);
});
