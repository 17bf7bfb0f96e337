import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { createTrace } from "../../src/trace/trace.ts";

test("the digest is the hash of the lines, also of more than one piece", () => {
  let written = "";
  const trace = createTrace((text) => (written += text));
  const lines = Array.from({ length: 10_000 }, (_, index) => `line ${index} ü`);
  for (const line of lines) trace.add(line);
  const whole = lines.map((line) => `${line}\n`).join("");
  expect(trace.digest()).toBe(createHash("sha256").update(whole).digest("hex"));
  expect(written).toBe(whole);
  expect(trace.lines).toBe(10_000);
  trace.add("more");
  expect(trace.digest()).toBe(createHash("sha256").update(`${whole}more\n`).digest("hex"));
});
