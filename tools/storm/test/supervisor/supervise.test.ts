import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { createLastEvents } from "../../src/supervisor/last-events.ts";
import { supervise } from "../../src/supervisor/supervise.ts";

const program = fileURLToPath(new URL("./program.ts", import.meta.url));

function ending(how: string) {
  return supervise(program, [how], {
    flags: ["--conditions=@plimsoll/source"],
    output: ["ignore", "inherit"],
    codes: [0],
    // Real time: a process that hangs has no other.
    silenceSeconds: 3,
  }).ending;
}

// What happened last: the process started within the first two seconds of the run.
const lastEvents =
  /seed 7, 0\.0\d min after the start; the last events:\n {2}\d+ process autoscaler-0 started$/;

test("a run that hangs in a loop is ended, and named with its time and its last events", async () => {
  expect(await ending("hang")).toEqual({
    kind: "failed",
    message: expect.stringMatching(/^the process did not respond for 3 s\. seed 7/) as string,
  });
});

test.each([
  ["kill", "SIGKILL"],
  ["exit", "code 70"],
])("a run that ends its process is named: %s", async (how, as) => {
  const result = await ending(how);
  expect(result.kind === "failed" && result.message).toMatch(lastEvents);
  expect(result.kind === "failed" && result.message).toContain(`the process ended with ${as}. seed 7`);
});

test("a process that ends well ends with its code", async () => {
  expect(await ending("well")).toEqual({ kind: "ended", code: 0 });
});

test("the last twenty events of the run that is played are kept", () => {
  const events = createLastEvents();
  expect(events.text()).toBe("");
  for (const seed of [1, 2]) {
    events.add({ kind: "begins", seed });
    for (let n = 1; n <= 30; n++)
      events.add({ kind: "happened", atMs: n * 60_000, line: `event ${String(n)}` });
    events.add({ kind: "alive" });
  }
  const lines = events.text().split("\n");
  expect(lines[0]).toBe("seed 2, 30.00 min after the start; the last events:");
  expect(lines.slice(1)).toHaveLength(20);
  expect(lines.at(-1)).toBe("  1800000 event 30");
  events.add({ kind: "ends" });
  expect(events.text()).toBe("");
});
