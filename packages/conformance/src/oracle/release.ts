import type { SemanticsProfile } from "@plimsoll/core";
import { type Kind, oracleKinds } from "./vector-file.ts";

/** The releases of which the real code can be asked, newest first. */
export const releases = ["1.37", "1.35", "1.32"] as const satisfies readonly SemanticsProfile[];

export type Release = (typeof releases)[number];

export function isRelease(text: string): text is Release {
  return releases.some((release) => release === text);
}

/** What `go build` needs beside the sources: the module file of an older release, and the code for it. */
export function buildArguments(release: Release): readonly string[] {
  return release === "1.37" ? [] : [`-modfile=releases/${release}.mod`, `-tags=kube${release}`];
}

/** How the API changed is told by the newest release alone; the older ones are asked for their decisions. */
export function kindsOf(release: Release): readonly Kind[] {
  const objects: readonly Kind[] = ["validation", "defaulting", "conversion"];
  return release === "1.37" ? oracleKinds : oracleKinds.filter((kind) => !objects.includes(kind));
}
