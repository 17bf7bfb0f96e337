import { join } from "node:path";
import { build } from "esbuild";
import { coreDir, entries } from "./run.ts";

export interface Bundle {
  readonly code: string;
  readonly bytes: number;
  /** Bytes that each folder of the source adds, heaviest first. */
  readonly weights: readonly (readonly [folder: string, bytes: number])[];
}

/** What a browser has to load for `source`, a module that imports "@plimsoll/core". */
export async function bundle(source: string): Promise<Bundle> {
  const { outputFiles, metafile } = await build({
    stdin: { contents: source, resolveDir: coreDir, sourcefile: "entry.js" },
    alias: Object.fromEntries(entries.map(([entry, source]) => [join("@plimsoll/core", entry), source])),
    bundle: true,
    minify: true,
    format: "esm",
    platform: "browser",
    target: "es2022",
    metafile: true,
    write: false,
    absWorkingDir: coreDir,
    logLevel: "silent",
  });
  const [output] = outputFiles;
  if (output === undefined) throw new Error("no output");
  const weights = new Map<string, number>();
  for (const { inputs } of Object.values(metafile.outputs)) {
    for (const [path, { bytesInOutput }] of Object.entries(inputs)) {
      const folder = path.split("/").slice(0, 2).join("/");
      weights.set(folder, (weights.get(folder) ?? 0) + bytesInOutput);
    }
  }
  return {
    code: output.text,
    bytes: output.contents.length,
    weights: [...weights].sort(([, a], [, b]) => b - a),
  };
}
