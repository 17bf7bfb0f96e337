// Runs commands on a history, with the manifests in a folder.

import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { hpa } from "@plimsoll/backtest/testing";
import { fileFolder } from "@plimsoll/testbed/world";
import { plimsoll, type Seams } from "../run-plimsoll.ts";

/** Manifests of the file of tests that calls this. */
export function manifestFolder() {
  const folder = fileFolder();
  const path = (name: string) => join(folder, name);
  return {
    path,
    async write(name: string, text: string) {
      await writeFile(path(name), text);
      return path(name);
    },
  };
}

/** The HPA of the made-up day under another name, or with other fields. */
export function manifest(name = "shop", spec: object = {}): string {
  return JSON.stringify({
    ...hpa,
    metadata: { name, namespace: "default" },
    spec: { ...hpa.spec, ...spec },
  });
}

export const backtest = (args: readonly string[], seams: Seams) => plimsoll(["backtest", ...args], seams);
