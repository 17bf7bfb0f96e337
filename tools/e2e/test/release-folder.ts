// Once before all files of a run: where the release is made that those share which need one. Suites share it too where
// PLIMSOLL_RELEASES has a folder, as in .ci/run.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";

export function setup(project: TestProject): () => void {
  const given = process.env["PLIMSOLL_RELEASES"];
  if (given !== undefined) {
    project.provide("releaseFolder", given);
    return () => {};
  }
  const folder = mkdtempSync(join(tmpdir(), "plimsoll-released-"));
  project.provide("releaseFolder", folder);
  return () => rmSync(folder, { recursive: true, force: true });
}
