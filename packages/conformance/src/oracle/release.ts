// The releases of Kubernetes whose code the oracle can run.
import { defaultOptions, type SemanticsProfile, semanticsProfiles } from "@plimsoll/core";
import type { GoProgram } from "./build.ts";
import { type Kind, oracleKinds } from "./vector-file.ts";

/** Each profile has a release whose real code can be run. */
export type Release = SemanticsProfile;

export const releases: readonly Release[] = semanticsProfiles;

/** The one that is followed where none is named. */
export const { semantics: usualRelease } = defaultOptions;

export function isRelease(text: string): text is Release {
  return releases.some((release) => release === text);
}

/**
 * The program of a release: each other than the usual one has its own module file and code.
 * @param module its folder.
 */
export function oracleOf(release: Release, module: string): GoProgram {
  const name = `oracle-${release}`;
  if (release === usualRelease) return { name, module, pins: "go", tags: [] };
  const program = { name, module, pins: `releases/${release}`, tags: [`kube${release}`] };
  return release === "1.38" ? { ...program, toolchain: "go1.27.3" } : program;
}

/**
 * Quantities are printed as by all releases up to 1.37. Objects are validated, defaulted and converted as by the newest releases, and the beta versions as by the last one that
 * could convert them; other releases are run for their decisions.
 */
export function kindsOf(release: Release): readonly Kind[] {
  const left: Readonly<Record<Release, readonly Kind[]>> = {
    "1.38": ["quantity"],
    "1.37": [],
    "1.36": ["validation", "manifest"],
    "1.35": ["validation", "manifest"],
    "1.32": ["validation", "manifest", "defaulting", "conversion"],
  };
  return oracleKinds.filter((kind) => !left[release].includes(kind));
}

/** The versions of the API that a release can convert. */
export function versionsOf(release: Release): readonly [string, ...string[]] {
  return release === "1.35" ? ["v1", "v2beta1", "v2beta2", "v2"] : ["v1", "v2"];
}
