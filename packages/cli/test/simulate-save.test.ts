// `simulate --save`: the first run as a recording, which backtest reproduces.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, expect, test } from "vitest";
import { plimsoll } from "./history/command.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "plimsoll-save-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const seams = { nowMs: () => 0 };
const simulate = (example: string, ...args: readonly string[]) =>
  plimsoll(["simulate", `${root}/examples/${example}`, ...args], seams);

test("what is saved is reproduced by backtest, whole", async () => {
  const file = join(folder, "orders.jsonl");
  const { code, err } = await simulate("tune/orders.yaml", "--duration=6h", "--save", file);
  expect([code, err]).toEqual([0, ""]);
  const again = await plimsoll(["backtest", "--recording", file, "--sync-period=1m"], seams);
  expect([again.code, again.err]).toEqual([0, ""]);
  expect(again.out).toMatch(/100\.0 % of \d+ steps, skill 1\.00, events (\d+) of \1 \(\1 exact, 0 extra\)/);
});

test("pods are not recorded, so that a metric of theirs is refused, and nothing is written", async () => {
  const file = join(folder, "peak.jsonl");
  const { code, out, err } = await simulate("simulate/evening-peak.yaml", "--duration=1h", "--save", file);
  expect([code, out]).toEqual([1, ""]);
  expect(err).toBe(
    "error: --save: as it stands scales on more than Object and External metrics, which need the times of pods: record it out of a Prometheus\n",
  );
  expect(() => readFileSync(file)).toThrow("ENOENT");
});

test("a column that is not there, and a folder that is not there", async () => {
  const column = await simulate(
    "tune/orders.yaml",
    "--duration=1h",
    "--column=3",
    "--save",
    join(folder, "a"),
  );
  expect(column.err).toBe("error: --column 3: there are 1 columns\n");
  const lost = await simulate("tune/orders.yaml", "--duration=1h", "--save", join(folder, "no/a"));
  expect(lost.err).toContain("error: cannot write --save ");
  expect(lost.code).toBe(1);
});
