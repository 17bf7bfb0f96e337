// Runs `plimsoll tune` on recordings in a folder, with a search that is quick.
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileFolder } from "@plimsoll/testbed/world";
import { beforeAll } from "vitest";
import { plimsoll, type Seams } from "../run-plimsoll.ts";
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
  const folder = fileFolder();
  beforeAll(async () => {
    await writeFile(join(folder, "shop.jsonl"), textOf(days));
    await writeFile(join(folder, "space.yaml"), space);
  });

  const tune = (args: readonly string[], seams: Seams = {}) =>
    plimsoll(["tune", ...args.map((arg) => arg.replace("{}", folder))], seams);

  return { at: (name: string) => join(folder, name), tune };
}
