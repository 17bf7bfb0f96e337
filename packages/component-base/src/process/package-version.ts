import { readFile } from "node:fs/promises";

/** The version in the package.json one folder above a program's main module. @param main its import.meta.url. */
export async function packageVersion(main: string): Promise<string> {
  const description: unknown = JSON.parse(await readFile(new URL("../package.json", main), "utf8"));
  return typeof description === "object" && description !== null && "version" in description
    ? String(description.version)
    : "unknown";
}
