import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** The licenses of packages, which they require to be passed on; each once. */
export function notices(folders: readonly string[]): string {
  return [...new Set(folders)]
    .map(noticeOf)
    .toSorted()
    .join(`\n${"-".repeat(78)}\n\n`);
}

function noticeOf(folder: string): string {
  const description = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as {
    readonly name: string;
    readonly version: string;
    readonly license?: string;
  };
  const files = readdirSync(folder)
    .filter((name) => /^(licen[cs]e|notice|copying)/i.test(name))
    .toSorted();
  const texts = files.map((name) => readFileSync(join(folder, name), "utf8").trim());
  return `${description.name} ${description.version} (${description.license ?? "see below"})\n\n${texts.join("\n\n")}\n`;
}
