// npm run task -- corpus: every manifest and rules file of a folder, or random manifests, through what reads them.
import { globSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { drawManifests } from "@plimsoll/conformance/testing";
import { createSandbox } from "@plimsoll/sandbox";
import { type Checked, checkFile } from "./check-file.ts";
import { checkRandom } from "./check-random.ts";
import { adapterStarter } from "./run-readers.ts";

const usage = `npm run task -- corpus --dir FOLDER [--no-adapter]
npm run task -- corpus --random [--seed S] [--valid N] [--invalid N]

Runs each YAML and JSON file of the folder through what reads it: manifests through doctor -f and convert, rules files through
rules check and the start of the adapter, which has no Prometheus. Prints what crashed, which reader says something else than
the validation of the API, and counts. Ends with 1 when something crashed or disagrees.

  --no-adapter  does not start the adapter, which takes a second for each rules file

With --random it draws manifests of HorizontalPodAutoscalers from the API's grammar, and asks the API server's own code
about each. Prints and counts those that doctor -f refuses and the API takes, and the other way round. Needs Go.

  --seed S      of the draw (1)
  --valid N     manifests that the API takes (200)
  --invalid N   manifests that it refuses (2000)`;

async function main(): Promise<number> {
  const options = parseArgs({
    options: {
      dir: { type: "string" },
      "no-adapter": { type: "boolean", default: false },
      random: { type: "boolean", default: false },
      seed: { type: "string", default: "1" },
      valid: { type: "string", default: "200" },
      invalid: { type: "string", default: "2000" },
    },
  }).values;
  const { dir, random, seed, "no-adapter": isWithoutAdapter } = options;
  const [valid, invalid] = [Number(options.valid), Number(options.invalid)];
  if (random && Number.isSafeInteger(valid) && Number.isSafeInteger(invalid))
    return await randomManifests({ seed, valid, invalid });
  if (dir === undefined || statSync(dir, { throwIfNoEntry: false })?.isDirectory() !== true) {
    console.error(usage);
    return 2;
  }
  const files = globSync("**/*.{yaml,yml,json}", { cwd: dir }).toSorted();
  const folder = mkdtempSync(join(tmpdir(), "plimsoll-corpus-"));
  const sandbox = createSandbox();
  try {
    const kubeconfig = join(folder, "kubeconfig");
    writeFileSync(kubeconfig, (await sandbox.start()).kubeconfig);
    const start = isWithoutAdapter ? undefined : adapterStarter(kubeconfig, folder);
    const checked: Checked[] = [];
    for (const file of files) checked.push(await checkFile(dir, file, start));
    return report(checked);
  } finally {
    await sandbox.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function randomManifests(draw: Parameters<typeof drawManifests>[0]): Promise<number> {
  const drawn = await drawManifests(draw, (line) => console.error(line), process.env);
  const { lines, ...counts } = await checkRandom(drawn);
  for (const line of lines) console.log(line);
  console.log(`seed ${draw.seed}: ${JSON.stringify(counts)}`);
  return lines.length === 0 ? 0 : 1;
}

function report(checked: readonly Checked[]): number {
  for (const { file, findings } of checked)
    for (const { what, text } of findings) console.log(`${what.padEnd(9)}  ${file}: ${text}`);
  const counts = new Map<string, number>();
  for (const { kind, results, findings } of checked) {
    for (const key of [kind, ...results, ...findings.map(({ what }) => what)])
      counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  for (const [key, count] of [...counts].toSorted(([a], [b]) => (a < b ? -1 : 1)))
    console.log(`${String(count).padStart(6)}  ${key}`);
  return checked.every(({ findings }) => findings.length === 0) ? 0 : 1;
}

process.exitCode = await main();
