// Makes the notes of what comes next the page of a version, and writes the version wherever it is named.
import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { compare, valid } from "semver";
import { folder, nextVersion, readNotes } from "./notes.ts";
import { sections } from "./render.ts";

/** The files that name the version, each with the text before it. What is generated follows them. */
const places: readonly (readonly [files: string, before: string])[] = [
  ["package.json", '\n  "version": "'],
  ["{packages/*,tools/*,docs/site}/package.json", '\n  "version": "'],
  ["packages/core/src/version.ts", 'coreVersion = "'],
  ["packages/core/README.md", "plimsoll-core-"],
  ["deploy/chart/plimsoll/Chart.yaml", "\nversion: "],
  ["deploy/chart/plimsoll/Chart.yaml", "\nappVersion: "],
  ["deploy/kustomize/base/kustomization.yaml", "newTag: "],
  ["docs/index.md", "The version is "],
  ["docs/install.md", "$name:"],
  ["docs/install.md", "$name-"],
];

/**
 * @param wanted a version above what the notes need, 1.0.0 for instance
 * @returns the version and the files that name it now
 * @throws {Error} where there are no notes, or `wanted` is less than they need
 */
export function cutVersion(
  root: string,
  { wanted, day }: { readonly wanted: string | undefined; readonly day: string },
): { readonly version: string; readonly files: readonly string[] } {
  const { next, releases } = readNotes(root);
  const last = releases[0]?.version ?? "0.0.0";
  const due = nextVersion(last, next);
  if (due === undefined) throw new Error(`${folder} has no notes after ${last}: there is nothing to release`);
  const version = wanted ?? due;
  if (valid(version) !== version || compare(version, due) < 0) {
    throw new Error(`${version} is not a version from ${due} on, which the notes after ${last} need`);
  }
  const files = writeVersion(root, readVersion(root), version);
  mkdirSync(join(root, folder, version));
  writeFileSync(
    join(root, folder, version, "README.md"),
    `${[`Released on ${day}.`, ...sections(next)].join("\n")}\n`,
  );
  for (const { path } of next) rmSync(join(root, path));
  return { version, files };
}

export function readVersion(root: string): string {
  return (JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { version: string }).version;
}

function writeVersion(root: string, from: string, to: string): readonly string[] {
  const written = new Map<string, string>();
  for (const [pattern, before] of places) {
    for (const path of globSync(pattern, { cwd: root })) {
      const text = written.get(path) ?? readFileSync(join(root, path), "utf8");
      if (!text.includes(`${before}${from}`)) {
        throw new Error(`${path}: has no "${before.trimStart()}${from}"; nothing was written`);
      }
      written.set(path, text.replaceAll(`${before}${from}`, `${before}${to}`));
    }
  }
  for (const [path, text] of written) writeFileSync(join(root, path), text);
  return [...written.keys()].sort();
}
