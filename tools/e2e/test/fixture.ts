import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { prometheusProgram, type Stack, type StackOptions, startStack } from "@plimsoll/testbed";

export const example = (name: string) =>
  fileURLToPath(new URL(`../../../examples/demo/${name}`, import.meta.url));

export const local = (name: string) => fileURLToPath(new URL(name, import.meta.url));

/** A stack in a folder of its own, with that folder's removal. */
export async function temporaryStack(
  options: Omit<StackOptions, "folder" | "prometheus" | "workloads" | "scrapeIntervalMs"> &
    Partial<Pick<StackOptions, "workloads">>,
): Promise<{ readonly stack: Stack; readonly folder: string; stop(): Promise<void> }> {
  const folder = mkdtempSync(join(tmpdir(), "plimsoll-e2e-"));
  const stack = await startStack({
    workloads: example("workloads.yaml"),
    ...options,
    folder,
    prometheus: prometheusProgram(),
    scrapeIntervalMs: 250,
  });
  return {
    stack,
    folder,
    async stop() {
      await stack.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
