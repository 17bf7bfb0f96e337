// The command `plimsoll bundle`.
import { printable } from "@plimsoll/component-base/text";
import type { Command } from "commander";
import { type Cluster, withCluster } from "../../cluster/cluster.ts";
import { checkScope, choice, clusterCommand, durationFlag } from "../../cluster/flags.ts";
import { findObject } from "../../objects/find.ts";
import { listObjects } from "../../objects/list.ts";
import { type ScalingObject, typedName } from "../../objects/scaling-object.ts";
import { isDocumentFormat } from "../../output/document.ts";
import { CliError, type CliSeams, type ExitCode } from "../../seams.ts";
import { type Archive, createArchive } from "./archive.ts";
import type { Missing } from "./document.ts";
import { type BundleFlags, gatherParts } from "./gather.ts";
import { createNames, type Names } from "./names.ts";
import { type Part, shortPath } from "./parts.ts";
import { bundleDocument, filesText } from "./report.ts";
import { hiddenIn, secretIn, withoutSecrets } from "./secrets.ts";

/** plimsoll bundle [OBJECT] */
export function bundleCommand(seams: CliSeams, done: (code: ExitCode) => void): Command {
  return clusterCommand({
    name: "bundle",
    description:
      "Saves everything about autoscalers in one file for a problem report: objects, scales, events, metrics, decisions, findings, logs. Leaves out Secrets, values of environments, foreign annotations, and tokens. missing.txt lists what you may not read.",
    outputs: ["table", "json", "yaml"],
    jq: ".files[].path",
  })
    .argument("[OBJECT]", "one object (default: all in the namespace)")
    .option("-O, --out <FILE>", "file to write (default: plimsoll-bundle-TIME.tgz)")
    .option("--include-pods", "include the pods of the namespaces, without commands and environment values")
    .option("--since <DURATION>", "how far back to include events and log lines", "1h")
    .addOption(
      choice(
        "--redact <WHAT>",
        "names: replace the names of namespaces, objects, pods, and nodes with words",
        ["none", "names"],
      ),
    )
    .option("--force", "replace an existing file")
    .action(async (object: string | undefined, flags: BundleFlags) => {
      done(await writeBundle(object, flags, seams));
    });
}

async function writeBundle(name: string | undefined, flags: BundleFlags, seams: CliSeams): Promise<ExitCode> {
  checkScope(flags);
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
        missing.push(...(await addPart(archive, part, shown)));
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

/** What of the part is not in the archive: whoever wrote something that looks like a secret stops no bundle. */
async function addPart(
  archive: Archive,
  part: Part,
  shown: (text: string) => string,
): Promise<readonly Missing[]> {
  const safe = (text: string): string => shown(withoutSecrets(text));
  if (part.kind === "missing") return [{ what: safe(part.what), reason: safe(part.reason) }];
  const path = shortPath(safe(part.path).replaceAll(/[[\]: ]/g, "_"));
  const content = shown(part.content);
  const secret = secretIn(content);
  if (secret !== undefined)
    return [{ what: path, reason: `left out, because it has text that looks like ${secret}` }];
  await archive.add(path, content);
  const hidden = hiddenIn(content);
  return hidden === undefined ? [] : [{ what: `part of ${path}`, reason: hidden }];
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
