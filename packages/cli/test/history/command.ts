// Runs `plimsoll backtest` on a history, with the manifests in a folder.
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { hpa } from "@plimsoll/history/testing";
import { runCli } from "../../src/index.ts";
import type { CliSeams } from "../../src/seams.ts";

export interface Folder {
  readonly path: (name: string) => string;
  write(name: string, text: string): Promise<string>;
  remove(): Promise<void>;
}

export async function temporaryFolder(): Promise<Folder> {
  const folder = await mkdtemp(join(tmpdir(), "plimsoll-history-"));
  const path = (name: string) => join(folder, name);
  return {
    path,
    async write(name, text) {
      await writeFile(path(name), text);
      return path(name);
    },
    remove: () => rm(folder, { recursive: true, force: true }),
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

export async function backtest(args: readonly string[], seams: Partial<CliSeams> & Pick<CliSeams, "nowMs">) {
  let [out, err] = ["", ""];
  const code = await runCli({
    args: ["backtest", ...args],
    name: "plimsoll",
    version: "1.2.3",
    readText: (file) => readFile(file, "utf8"),
    writeOut: (part) => (out += part),
    writeError: (part) => (err += part),
    signal: new AbortController().signal,
    ...seams,
  });
  return { code, out, err };
}
