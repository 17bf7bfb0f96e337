// The command `plimsoll bundle`.
import { type Command, Option } from "commander";
import { type Cluster, withCluster } from "../cluster/cluster.ts";
import { checkScope, clusterCommand, durationFlag } from "../cluster/flags.ts";
import { findObject } from "../objects/find.ts";
import { listObjects } from "../objects/list.ts";
import { type ScalingObject, typedName } from "../objects/scaling-object.ts";
import { isDocumentFormat } from "../output/document.ts";
import { printable } from "../printable.ts";
import { CliError, type CliSeams, type ExitCode } from "../seams.ts";
import { createArchive } from "./archive.ts";
import type { Missing } from "./document.ts";
import { type BundleFlags, gatherParts } from "./gather.ts";
import { createNames, type Names } from "./names.ts";
import { shortPath } from "./parts.ts";
import { bundleDocument, filesText } from "./report.ts";

/** plimsoll bundle [OBJECT] */
export function bundleCommand(seams: CliSeams, done: (code: ExitCode) => void): Command {
  return clusterCommand({
    name: "bundle",
    description:
      "Writes everything about autoscalers into one file, for a report of a problem: objects, scales, events, metrics, decisions, findings, logs. No Secrets, values of environments, foreign annotations or tokens; what may not be read is listed in missing.txt.",
    outputs: ["table", "json", "yaml"],
    jq: ".files[].path",
  })
    .argument("[OBJECT]", "one object; all of the namespace when absent")
    .option("-O, --out <FILE>", "the file to write; plimsoll-bundle-TIME.tgz when absent")
    .option("--include-pods", "with the pods of the namespaces, without commands and values of environments")
    .option("--since <DURATION>", "events and lines of logs of so long", "1h")
    .addOption(
      new Option("--redact <WHAT>", "names replaces names of namespaces, objects, pods and nodes by words")
        .choices(["none", "names"])
        .default("none"),
    )
    .option("--force", "replace the file")
    .action(async (object: string | undefined, flags: BundleFlags) => {
      done(await writeBundle(object, flags, seams));
    });
}

async function writeBundle(name: string | undefined, flags: BundleFlags, seams: CliSeams): Promise<ExitCode> {
  checkScope(flags, name === undefined ? [] : [name]);
  const sinceMs = durationFlag("--since", flags.since, 1000);
  const atMs = seams.nowMs();
  const file = flags.out ?? `plimsoll-bundle-${stampOf(atMs)}.tgz`;
  return await withCluster(flags, seams, async (cluster) => {
    const objects = await objectsOf(cluster, name);
    announce(objects, { file, flags, seams });
    const archive = await createArchive(file, { mayReplace: flags.force === true, atMs });
    const missing: Missing[] = [];
    try {
      const names = flags.redact === "names" ? namesOf(objects) : undefined;
      for await (const part of gatherParts({ cluster, objects, sinceMs, flags, seams, names })) {
        seams.signal.throwIfAborted();
        const shown = (text: string): string => names?.replaced(text) ?? text;
        if (part.kind === "file") await archive.add(shortPath(shown(part.path)), shown(part.content));
        else missing.push({ what: shown(part.what), reason: shown(part.reason) });
      }
      await archive.add("missing.txt", missing.map(({ what, reason }) => `${what}: ${reason}\n`).join(""));
      const manifest = {
        version: seams.version,
        at: new Date(atMs).toISOString(),
        files: [...archive.files],
        missing,
      };
      await archive.add("manifest.json", `${JSON.stringify(manifest, undefined, 2)}\n`);
      await archive.close();
    } catch (error) {
      await archive.discard();
      throw error;
    }
    const result = {
      file,
      files: archive.files,
      missing,
      at: new Date(atMs).toISOString(),
      notes: cluster.notes,
    };
    seams.writeOut(isDocumentFormat(flags.output) ? bundleDocument(result, flags.output) : filesText(result));
    return 0;
  });
}

async function objectsOf(cluster: Cluster, name: string | undefined): Promise<readonly ScalingObject[]> {
  if (name !== undefined) return [await findObject(cluster, name)];
  const objects = await listObjects(cluster.client, { namespace: cluster.scope, selector: cluster.selector });
  if (objects.length > 0) return objects;
  const where = cluster.scope === undefined ? "the cluster" : `namespace "${cluster.scope}"`;
  throw new CliError(`no HorizontalPodAutoscaler or WorkloadAutoscaler in ${where} (-A looks everywhere)`);
}

const maxNamed = 20;

/** What will be in it, before anything is read. */
function announce(
  objects: readonly ScalingObject[],
  { file, flags, seams }: { readonly file: string; readonly flags: BundleFlags; readonly seams: CliSeams },
): void {
  const named = objects.slice(0, maxNamed).map((one) => `${one.identity.namespace}/${typedName(one)}`);
  const more = objects.length > maxNamed ? [`and ${objects.length - maxNamed} more`] : [];
  const lines = [
    `${file} will have:`,
    ...[...named, ...more].map((line) => `  ${line}`),
    "  of each its scale, events, samples of metrics, decision and record",
    "  findings, APIServices, versions, flags, logs and metrics of plimsoll's processes",
    ...(flags.includePods === true ? ["  the pods of these namespaces"] : []),
    flags.redact === "names"
      ? "  names replaced by words; labels, metrics and messages may still say what they are"
      : "  names as they are (--redact names replaces them)",
  ];
  for (const line of lines) seams.writeError(`${printable(line)}\n`);
}

function namesOf(objects: readonly ScalingObject[]): Names {
  const names = createNames();
  for (const { identity } of objects) {
    names.add("namespace", identity.namespace);
    names.add("autoscaler", identity.name);
    names.add("target", identity.target.name);
  }
  return names;
}

/** 2026-11-22T10:00:02Z as 20261122T100002Z. */
function stampOf(atMs: number): string {
  return new Date(atMs)
    .toISOString()
    .replace(/\.\d+Z$/, "Z")
    .replaceAll(/[-:]/g, "");
}
