import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { testFolder } from "@plimsoll/testbed/world";
import { expect, test } from "vitest";
import { createCluster } from "../../src/cluster/cluster.ts";
import { readOptions } from "../../src/options/options.ts";
import type { Parts } from "../../src/run/parts.ts";
import type { CreateInvariant, FaultKind } from "../../src/run/world.ts";
import type { Scenario, Setup } from "../../src/scenario/scenario.ts";
import { storm } from "../../src/session/storm.ts";

const setup: Setup = {
  autoscalers: 1,
  adapters: 0,
  coordination: "alone",
  objects: ["a", "b", "c"].map((name) => ({
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name, namespace: "default" },
  })),
};

const harmless: FaultKind = { draw: () => ({}), begin: () => undefined };
/** Deletes a ConfigMap, unless it is gone. */
const harmful: FaultKind = {
  draw: (random) => ({ name: random.pick(["a", "b", "c"]) }),
  begin({ cluster }, { details }) {
    const name = String(details["name"]);
    cluster.as("user", (store) => {
      if (store.get("configmaps", "default", name) !== undefined) store.delete("configmaps", "default", name);
    });
    return undefined;
  },
};

/** Violated when "b" is gone. */
const keepsB: CreateInvariant = () => ({
  name: "b is kept",
  observe: (seen) =>
    seen.kind === "written" && seen.event.type === "DELETED" && seen.event.object.metadata.name === "b"
      ? "b was deleted"
      : undefined,
});

function partsOf(invariants: readonly CreateInvariant[]): Parts {
  return {
    createCluster,
    // No program of this world asks it.
    createPrometheus: () => ({}) as never,
    programs: () => new Map(),
    faults: { harmless, harmful },
    invariants,
  };
}

async function session(args: readonly string[], invariants: readonly CreateInvariant[], isAborted = false) {
  const folder = testFolder();
  const out = join(folder, "not-made-yet");
  const interruption = new AbortController();
  if (isAborted) interruption.abort();
  const lines: string[] = [];
  const code = await storm(readOptions(["--out", out, ...args]), {
    print: (line) => lines.push(line),
    signal: interruption.signal,
    parts: partsOf(invariants),
    drawSetup: () => setup,
  });
  return { code, out, text: lines.join("\n") };
}

test("a run in which all holds prints its figures", async () => {
  const { code, text } = await session(["--seed", "3", "--hours", "1"], []);
  expect(code).toBe(0);
  expect(text).toMatch(/^seed 3: 1\.00 simulated hours, .* \d+ events, .* CPU seconds, trace [0-9a-f]{16}$/m);
  expect(text).toMatch(/^1 runs, 1\.00 simulated hours, .* simulated hours per hour of one core$/m);
  expect(text).toMatch(/^\d+ faults: .*harm/m);
  expect(text).toMatch(/^1 passed, 0 failed$/m);
});

test("what is violated is shrunk and written to a file, which finds it again", async () => {
  const found = await session(["--seed", "3", "--hours", "2"], [keepsB]);
  expect(found.code).toBe(1);
  expect(found.text).toContain("violated: b is kept, seed 3");
  expect(found.text).toContain("b was deleted");
  expect(found.text).toContain("shrunk to 1 events and 1 objects");
  expect(found.text).toMatch(/^0 passed, 1 failed$/m);
  const file = join(found.out, "storm-3.json");
  expect(found.text).toContain(`npm run storm -- --replay ${file}`);
  expect(JSON.parse(await readFile(file, "utf8"))).toMatchObject({
    seed: 3,
    events: [{ kind: "harmful", details: { name: "b" } }],
  });
  const replayed = await session(["--replay", file], [keepsB]);
  expect(replayed.code).toBe(1);
  expect(replayed.text).toContain("violated: b is kept, seed 3");
});

test("what is not shrunk is written as it was found", async () => {
  const shrunk = await session(["--seed", "3", "--hours", "2"], [keepsB]);
  const found = await session(["--seed", "3", "--hours", "2", "--shrink-seconds", "0"], [keepsB]);
  expect(found.text).toContain("violated: b is kept, seed 3");
  expect(found.text).not.toContain("shrunk");
  const read = async (out: string) =>
    JSON.parse(await readFile(join(out, "storm-3.json"), "utf8")) as Scenario;
  expect((await read(found.out)).events.length).toBeGreaterThan((await read(shrunk.out)).events.length);
});

test("the trace is written to a file", async () => {
  const folder = testFolder();
  const path = join(folder, "trace");
  await session(["--seed", "3", "--hours", "0.5", "--trace", path], []);
  expect(await readFile(path, "utf8")).toMatch(/^0 written user ADDED configmaps default\/a/m);
});

test("an interrupted session ends with its figures", async () => {
  const { code, text } = await session(["--seed", "3"], [], true);
  expect(code).toBe(130);
  expect(text).toContain("1 runs, 0.00 simulated hours");
});
