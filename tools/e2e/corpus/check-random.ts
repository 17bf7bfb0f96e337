// Random manifests through doctor -f, which must refuse what the API server refuses, and nothing else.
import type { DrawnManifest } from "@plimsoll/conformance/testing";
import { runReader } from "./run-readers.ts";

export interface RandomCounts {
  /** Manifests that the API server takes, and of those the ones that doctor refuses. */
  readonly valid: number;
  readonly falseAlarms: number;
  /** Manifests that the API server refuses, and of those the ones that doctor takes. */
  readonly invalid: number;
  readonly missed: number;
  readonly crashes: number;
  /** What is wrong, a line for each manifest, with the manifest. */
  readonly lines: readonly string[];
}

export async function checkRandom(drawn: readonly DrawnManifest[]): Promise<RandomCounts> {
  const counts = { valid: 0, falseAlarms: 0, invalid: 0, missed: 0, crashes: 0 };
  const lines: string[] = [];
  for (const { name, manifest, refused } of drawn) {
    const text = JSON.stringify(manifest);
    const ending = await runReader(["doctor", "-f", "manifest.json"], async () => text);
    counts[refused === "" ? "valid" : "invalid"]++;
    if (ending.is === "crashes") {
      counts.crashes++;
      lines.push(`CRASHES    ${name}: ${ending.says}: ${text}`);
    } else if (ending.is === "refuses" && refused === "") {
      counts.falseAlarms++;
      lines.push(`DISAGREES  ${name}: doctor refuses what the API takes: ${ending.says}: ${text}`);
    } else if (ending.is === "accepts" && refused !== "") {
      counts.missed++;
      lines.push(`DISAGREES  ${name}: doctor accepts what the API refuses: ${refused}: ${text}`);
    }
  }
  return { ...counts, lines };
}
