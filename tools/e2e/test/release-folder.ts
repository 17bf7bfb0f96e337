// Once before all files of a run: where the release is made that those share which need one.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";

export function setup(project: TestProject): () => void {
  const folder = mkdtempSync(join(tmpdir(), "plimsoll-released-"));
  project.provide("releaseFolder", folder);
  return () => rmSync(folder, { recursive: true, force: true });
}
