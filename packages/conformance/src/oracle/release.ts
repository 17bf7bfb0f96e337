// The releases of Kubernetes whose code the oracle can run.
import type { SemanticsProfile } from "@plimsoll/core";
import { type Kind, oracleKinds } from "./vector-file.ts";

/** The releases whose real code can be run, newest first. */
export const releases = ["1.37", "1.35", "1.32"] as const satisfies readonly SemanticsProfile[];

export type Release = (typeof releases)[number];

export function isRelease(text: string): text is Release {
  return releases.some((release) => release === text);
}

/** What `go build` needs beside the sources: the module file of an older release, and the code for it. */
export function buildArguments(release: Release): readonly string[] {
  return release === "1.37" ? [] : [`-modfile=releases/${release}.mod`, `-tags=kube${release}`];
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
