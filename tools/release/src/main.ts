// npm run release -- --dry-run: every artifact of a release, as files.
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { Command } from "commander";
import { writeRelease } from "./release.ts";
import { readVersion } from "./version.ts";

const root = fileURLToPath(new URL("../../../", import.meta.url));

interface Flags {
  readonly dryRun: boolean;
  readonly out: string;
  readonly force: boolean;
}

await new Command("release")
  .description(
    "Writes every artifact of a release into a folder: packages for npm, images for two architectures, the chart, the " +
      "kustomize base, the command line with its krew manifest, what the tutorial needs, and checksums. Nothing is published.",
  )
  .option("--dry-run", "write the files, publish nothing; there is no other way yet", false)
  .option("--out <FOLDER>", "where to write them", "release")
  .option("--force", "replace the folder", false)
  .action(async ({ dryRun, out, force }: Flags) => {
    if (!dryRun)
      fail(
        "this publishes nothing: give --dry-run, and publish the files as docs/developers/release.md says",
        2,
      );
    else await write(resolve(out), force);
  })
  .parseAsync();

async function write(folder: string, mayReplace: boolean): Promise<void> {
  const report = (line: string): void => console.error(`release: ${line}`);
  try {
    const release = readVersion(root);
    if (release.isChanged)
      report(`files differ from ${release.revision}: this is not a build of that commit`);
    const environment = process.env;
    const artifacts = await writeRelease({ root, folder, mayReplace, release, report, environment });
    for (const { path, bytes } of artifacts) {
      console.log(`${(bytes / 2 ** 20).toFixed(1).padStart(7)} MiB  ${path}`);
    }
  } catch (error) {
    fail(error instanceof Error ? error.message : String(error), 1);
  }
}

function fail(message: string, code: number): void {
  console.error(`release: ${message}`);
  process.exitCode = code;
}
