// The autoscalers whose history is read: as the cluster has them, or out of a file.
import { suggest } from "@plimsoll/component-base/process";
import { fieldsOf } from "@plimsoll/core/internal/values";
import { problemText, readSources, type SourceObject } from "@plimsoll/migration/manifests";
import { readAutoscaler } from "@plimsoll/simulator";
import { type Cluster, openCluster } from "../cluster/cluster.ts";
import { isClusterError } from "../cluster/error-text.ts";
import type { ConnectionFlags } from "../cluster/flags.ts";
import { readInput } from "../input/read-input.ts";
import { findObject } from "../objects/find.ts";
import { listObjects } from "../objects/list.ts";
import { type ObjectReference, parseReference } from "../objects/reference.ts";
import type { ScalingObject } from "../objects/scaling-object.ts";
import { CliError, type CliSeams } from "../seams.ts";
import type { HistoryFlags } from "./flags.ts";

/** An autoscaler. */
export interface HistoryObject {
  /** "namespace/name". */
  readonly name: string;
  readonly object: unknown;
}

/** Where autoscalers are looked up. */
export interface ObjectSource {
  /** @throws CliError with near names */
  find(text: string): Promise<HistoryObject>;
  /** All of the namespace. @throws CliError */
  all(): Promise<readonly HistoryObject[]>;
  close(): Promise<void>;
}

/** @throws CliError */
export async function openObjects(flags: HistoryFlags, seams: CliSeams): Promise<ObjectSource> {
  if (flags.manifest !== undefined) return await manifestSource(flags.manifest, flags.namespace, seams);
  const { kubeconfig, context, cluster, user, namespace, as, asGroup, requestTimeout, verbose } = flags;
  const given = { kubeconfig, context, cluster, user, namespace, as, asGroup, verbose };
  // A flag that is absent has no key.
  const own = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  const connection: ConnectionFlags = { ...own, requestTimeout };
  const opened = await openCluster(connection, seams);
  return clusterSource(opened, seams);
}

function clusterSource(
  { cluster, close }: { readonly cluster: Cluster; readonly close: () => Promise<void> },
  seams: CliSeams,
): ObjectSource {
  const named = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      if (!isClusterError(error) || seams.signal.aborted) throw error;
      throw new CliError(`${cluster.errorText(error)}: you can also use the manifest with --manifest FILE`);
    }
  };
  return {
    find: (text) => named(async () => servedObject(await findObject(cluster, text))),
    all: () =>
      named(async () => {
        const { client, namespace } = cluster;
        const objects = await listObjects(client, { namespace });
        if (objects.length === 0) throw new CliError(`no autoscaler in namespace "${namespace}"`);
        return objects.map(servedObject);
      }),
    close,
  };
}

/** What a recording needs of it; the rest of its metadata is of no use there, and may be private. */
function servedObject({ identity: { namespace, name }, kind, object }: ScalingObject): HistoryObject {
  const manifest = { apiVersion: apiVersions[kind], kind, metadata: { name, namespace }, spec: object.spec };
  return { name: `${namespace}/${name}`, object: manifest };
}

/** Items of a list do not say what they are. */
const apiVersions = {
  HorizontalPodAutoscaler: "autoscaling/v2",
  WorkloadAutoscaler: "autoscaling.plimsoll.dev/v1alpha1",
} as const;

/** More are not listed. */
const maxNames = 5;

interface FileObject extends HistoryObject {
  readonly kind: string;
  readonly own: string;
  readonly target: { readonly kind: string; readonly name: string };
}

async function manifestSource(
  file: string,
  namespace: string | undefined,
  seams: Pick<CliSeams, "readText">,
): Promise<ObjectSource> {
  const { objects, problems } = readSources(await readInput(file, seams), file);
  const [problem] = problems;
  if (problem !== undefined) throw new CliError(problemText(problem));
  const all = objects
    .filter(({ kind }) => Object.hasOwn(apiVersions, kind))
    .map((object) => fileObject(object, file, namespace));
  if (all.length === 0)
    throw new CliError(`--manifest ${file} has no HorizontalPodAutoscaler and no WorkloadAutoscaler`);
  const ofNamespace =
    namespace === undefined ? all : all.filter(({ name }) => name.startsWith(`${namespace}/`));
  return {
    find: async (text) => {
      const reference = parseReference(text);
      const found = ofNamespace.filter((object) => isMeant(object, reference));
      const [only, other] = found;
      if (only !== undefined && other === undefined) return only;
      throw new CliError(
        `--manifest ${file} ${other === undefined ? absent(text, reference, all) : several(found)}`,
      );
    },
    all: async () => {
      if (ofNamespace.length > 0) return ofNamespace;
      throw new CliError(`--manifest ${file} has no autoscaler in namespace "${namespace}"`);
    },
    close: async () => undefined,
  };
}

/** A manifest may leave its namespace to --namespace. */
function fileObject({ kind, value }: SourceObject, file: string, namespace = "default"): FileObject {
  const metadata = fieldsOf(value["metadata"]);
  // As servedObject() does it; older versions have metrics in annotations.
  const annotations = Object.entries(fieldsOf(metadata["annotations"])).filter(([key]) =>
    key.startsWith("autoscaling.alpha.kubernetes.io/"),
  );
  const object = {
    apiVersion: value["apiVersion"],
    kind,
    metadata: {
      name: metadata["name"],
      namespace: metadata["namespace"] ?? namespace,
      ...(annotations.length === 0 ? {} : { annotations: Object.fromEntries(annotations) }),
    },
    spec: value["spec"],
  };
  const read = readAutoscaler(object);
  if (!read.ok) throw new CliError(`--manifest ${file}: ${read.message}`);
  const own = read.autoscaler.hpa.metadata?.name ?? "";
  const { kind: targetKind, name: targetName } = read.autoscaler.hpa.spec.scaleTargetRef;
  const target = { kind: targetKind, name: targetName };
  return { name: `${read.target.namespace}/${own}`, object, kind, own, target };
}

function isMeant({ kind, own, target }: FileObject, reference: ObjectReference): boolean {
  switch (reference.kind) {
    case "any":
      return own === reference.name;
    case "hpa":
      return kind === "HorizontalPodAutoscaler" && own === reference.name;
    case "wla":
      return kind === "WorkloadAutoscaler" && own === reference.name;
    case "target":
      return target.kind === reference.target.kind && target.name === reference.name;
    case "so":
      return own === `keda-hpa-${reference.name}`;
  }
}

/** With what it has, the nearest name alone where one is near. */
function absent(text: string, { name }: ObjectReference, all: readonly FileObject[]): string {
  const near = suggest(
    name,
    all.map((object) => object.own),
  );
  const shown = near === undefined ? all : all.filter((object) => object.own === near);
  const names = shown
    .slice(0, maxNames)
    .map((object) => `${shortKind(object)}/${object.own} in namespace ${namespaceOf(object)}`);
  return `has no ${text}: it has ${names.join(", ")}`;
}

function several(found: readonly FileObject[]): string {
  const names = found.map(
    (object) => `${shortKind(object)}/${object.own} in namespace ${namespaceOf(object)}`,
  );
  return `has ${names.join(" and ")}: use hpa/NAME or wla/NAME, and -n NAMESPACE`;
}

function shortKind({ kind }: FileObject): string {
  return kind === "WorkloadAutoscaler" ? "wla" : "hpa";
}

function namespaceOf({ name }: FileObject): string {
  return name.split("/")[0] ?? "";
}
