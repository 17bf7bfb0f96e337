// Runs `plimsoll tune` on recordings in a folder, with a search that is quick.
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll } from "vitest";
import { runCli } from "../../src/index.ts";
import { recordedDays, textOf } from "./days-recording.ts";

export const days = recordedDays(7);

/** Few specifications, so that a search is quick. */
export const space = `target: [60, 70]
minReplicas: today
maxReplicas: today
scaleDownWindow: today
scaleUpWindow: today
scaleDownPolicies: today
scaleUpPolicies: today
toleranceDown: today
toleranceUp: today
floor: today
`;

interface Surroundings {
  readonly nowMs?: () => number;
  readonly signal?: AbortSignal;
  readonly onError?: (text: string) => void;
}

export const recording = [
  "--recording",
  "{}/shop.jsonl",
  "--sync-period",
  "4m",
  "--load-model",
  "orders=independent",
  "--cache-age",
  "0s",
];
export const quick = [...recording, "--space", "{}/space.yaml", "--candidates", "64"];
export const alone = [...quick, "--jobs", "1"];

/** For one file of tests: its folder has a recording of a week and a narrow space. "{}" in arguments is that folder. */
export function tuneRig() {
  let folder = "";
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "plimsoll-tune-"));
    await writeFile(join(folder, "shop.jsonl"), textOf(days));
    await writeFile(join(folder, "space.yaml"), space);
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  async function tune(args: readonly string[], around: Surroundings = {}) {
    let [out, err] = ["", ""];
    const code = await runCli({
      args: ["tune", ...args.map((arg) => arg.replace("{}", folder))],
      name: "plimsoll",
      version: "1.2.3",
      readText: (path) => readFile(path, "utf8"),
      writeOut: (part) => (out += part),
      writeError: (part) => {
        err += part;
        around.onError?.(part);
      },
      nowMs: around.nowMs ?? (() => 0),
      signal: around.signal ?? new AbortController().signal,
    });
    return { code, out, err };
  }

  return { at: (name: string) => join(folder, name), tune };
}
