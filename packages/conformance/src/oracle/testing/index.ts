// For tools of this repository: random manifests with what the API server says of each. Needs Go.
import { fileURLToPath } from "node:url";
import { fieldsOf, textOf } from "@plimsoll/core/internal/values";
import { buildProgram, programCache } from "../build.ts";
import { someCase } from "../generate/case.ts";
import { oracleOf, usualRelease } from "../release.ts";
import { startUpstream, type Upstream } from "../upstream.ts";

export interface DrawnManifest {
  /** Its seed and number. */
  readonly name: string;
  readonly manifest: Readonly<Record<string, unknown>>;
  /** Why the API server refuses it, such as the fields; empty when it takes it. */
  readonly refused: string;
}

interface Draw {
  readonly seed: string;
  /** How many that the API server takes, and how many that it refuses. */
  readonly valid: number;
  readonly invalid: number;
}

/** @param environment with the Go on its PATH, and XDG_CACHE_HOME. */
export async function drawManifests(
  draw: Draw,
  report: (line: string) => void,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<readonly DrawnManifest[]> {
  const module = fileURLToPath(new URL("../../../oracle", import.meta.url));
  const cache = programCache(environment["XDG_CACHE_HOME"]);
  const program = oracleOf(usualRelease, module);
  const upstream = startUpstream(await buildProgram({ program, cache, report, environment }));
  try {
    return await drawn(draw, upstream);
  } finally {
    await upstream.close();
  }
}

const batchSize = 250;

async function drawn({ seed, valid, invalid }: Draw, upstream: Upstream): Promise<readonly DrawnManifest[]> {
  const taken: DrawnManifest[] = [];
  const refused: DrawnManifest[] = [];
  for (let from = 0; taken.length < valid || refused.length < invalid; from += batchSize) {
    // The gate HPAScaleToZero is on by default.
    const cases = Array.from({ length: batchSize }, (_, at) => ({
      ...someCase("manifest", seed, from + at),
      scaleToZero: true,
    }));
    for (const answered of await upstream.run("manifest", cases)) {
      const one = manifestOf(answered);
      (one.refused === "" ? taken : refused).push(one);
    }
  }
  return [...taken.slice(0, valid), ...refused.slice(0, invalid)];
}

function manifestOf({
  name,
  hpa,
  expect,
}: {
  readonly name: string;
  readonly [key: string]: unknown;
}): DrawnManifest {
  const { valid, fields, undecoded } = fieldsOf(expect);
  const why = textOf(undecoded) || (Array.isArray(fields) ? fields.join(", ") : "no reason");
  return { name, manifest: fieldsOf(hpa), refused: valid === true ? "" : why };
}
