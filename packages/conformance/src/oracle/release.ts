// The releases of Kubernetes whose code the oracle can run.
import type { SemanticsProfile } from "@plimsoll/core";
import type { GoProgram } from "./build.ts";
import { type Kind, oracleKinds } from "./vector-file.ts";

/** The releases whose real code can be run, newest first. */
export const releases = ["1.37", "1.35", "1.32"] as const satisfies readonly SemanticsProfile[];

export type Release = (typeof releases)[number];

export function isRelease(text: string): text is Release {
  return releases.some((release) => release === text);
}

/**
 * The program of a release: an older one has a module file of its own, and code for it.
 * @param module its folder.
 */
export function oracleOf(release: Release, module: string): GoProgram {
  const name = `oracle-${release}`;
  if (release === "1.37") return { name, module, pins: "go", tags: [] };
  return { name, module, pins: `releases/${release}`, tags: [`kube${release}`] };
}

/**
 * The newest release shows how the API changed, as does the last one that could convert the beta versions;
 * older ones are run for their decisions.
 */
export function kindsOf(release: Release): readonly Kind[] {
  const left: Readonly<Record<Release, readonly Kind[]>> = {
    "1.37": [],
    "1.35": ["validation"],
    "1.32": ["validation", "defaulting", "conversion"],
  };
  return oracleKinds.filter((kind) => !left[release].includes(kind));
}

/** The versions of the API that a release can convert. */
export function versionsOf(release: Release): readonly [string, ...string[]] {
  return release === "1.37" ? ["v1", "v2"] : ["v1", "v2beta1", "v2beta2", "v2"];
}
