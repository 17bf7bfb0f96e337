import { readFile } from "node:fs/promises";

interface Description {
  readonly version?: string;
  /** The commit that a released program was made from; npm uses the name too. */
  readonly gitHead?: string;
}

/**
 * The version in the package.json one folder above a program's main module, with the commit where that file has one:
 * `0.1.0+1a2b3c4d`. @param main its import.meta.url.
 */
export async function packageVersion(main: string): Promise<string> {
  const text = await readFile(new URL("../package.json", main), "utf8");
  const { version = "unknown", gitHead } = JSON.parse(text) as Description;
  return gitHead === undefined ? version : `${version}+${gitHead.slice(0, 8)}`;
}
