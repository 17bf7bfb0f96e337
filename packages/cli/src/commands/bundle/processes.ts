// What the bundle has of the processes: arguments, the last lines of their logs, and their metrics.
import { type KubeObject, readList } from "@plimsoll/kube";
import type { Cluster } from "../../cluster/cluster.ts";
import { cleanedText } from "./clean.ts";
import { fileName, jsonFile, orMissing, type Part, type Parts } from "./parts.ts";

interface ProcessPod extends KubeObject {
  readonly spec?: {
    readonly containers?: readonly {
      readonly name?: string;
      readonly image?: string;
      readonly command?: readonly string[];
      readonly args?: readonly string[];
      readonly ports?: readonly { readonly name?: string; readonly containerPort?: number }[];
    }[];
  };
}

const tailLines = 5000;
/** More than an installation has. */
const maxPods = 50;
const maxLogBytes = 32 * 1024 * 1024;

const ours = "app.kubernetes.io/name=plimsoll";
const controllerManager = "component=kube-controller-manager";

/** Of our processes all, of kube-controller-manager its flags. */
export async function* processParts(cluster: Cluster, sinceMs: number): Parts {
  for (const [what, selector] of [
    ["the pods of plimsoll", ours],
    ["the flags of kube-controller-manager", controllerManager],
  ] as const) {
    const pods: ProcessPod[] = [];
    yield* await orMissing(cluster, what, async () => {
      const found = await readList<ProcessPod>(cluster.client, "/api/v1/pods", { labelSelector: selector });
      pods.push(...found);
      if (found.length > 0) return undefined;
      return { kind: "missing", what, reason: `there is no pod with the label ${selector}` };
    });
    if (pods.length > maxPods)
      yield { kind: "missing", what, reason: `${maxPods} of ${pods.length} are in the bundle` };
    for (const pod of byTurns(pods).slice(0, maxPods)) {
      yield flagsOf(pod);
      if (selector === ours) yield* podParts(cluster, pod, sinceMs);
    }
  }
}

/** A pod of each namespace, then a second one: whoever may make pods may give many of them our label. */
function byTurns(pods: readonly ProcessPod[]): readonly ProcessPod[] {
  const counts = new Map<string, number>();
  const turns = pods.map((pod) => {
    const { namespace = "" } = pod.metadata;
    const turn = counts.get(namespace) ?? 0;
    counts.set(namespace, turn + 1);
    return { pod, turn };
  });
  return turns.toSorted((a, b) => a.turn - b.turn).map(({ pod }) => pod);
}

/** No more of the pod than what it was started with. */
function flagsOf({ metadata, spec }: ProcessPod): Part {
  const containers = (spec?.containers ?? []).map(({ name, image, command = [], args = [] }) => ({
    name,
    image,
    // A flag may be given in two words.
    arguments: [...command, ...args].map((word, at, all) => (isSecretFlag(all[at - 1]) ? "***" : word)),
  }));
  const { namespace = "", name } = metadata;
  return jsonFile(`processes/${fileName(namespace)}/${fileName(name)}/flags.json`, {
    namespace,
    name,
    containers,
  });
}

function isSecretFlag(word: string | undefined): boolean {
  return (
    word !== undefined &&
    /^--[\w-]*(?:header|token|password|secret)[\w-]*$/.test(word) &&
    !word.endsWith("-file")
  );
}

async function* podParts(cluster: Cluster, { metadata, spec }: ProcessPod, sinceMs: number): Parts {
  const { namespace = "", name } = metadata;
  const pod = `/api/v1/namespaces/${encodeURIComponent(namespace)}/pods/${encodeURIComponent(name)}`;
  const folder = `processes/${fileName(namespace)}/${fileName(name)}`;
  for (const container of spec?.containers ?? []) {
    const query = {
      container: container.name,
      tailLines,
      sinceSeconds: Math.ceil(sinceMs / 1000),
      timestamps: true,
    };
    yield* await orMissing(cluster, `the log of ${namespace}/${name}`, async () => ({
      kind: "file",
      path: `${folder}/${fileName(container.name ?? "container")}.log`,
      content: cleanedText(await textOf(cluster, `${pod}/log`, query)),
    }));
    const port = container.ports?.find((one) => one.name === "metrics" || one.name === "https");
    if (port?.containerPort === undefined) continue;
    const scheme = port.name === "https" ? "https:" : "";
    const path = `/api/v1/namespaces/${namespace}/pods/${scheme}${name}:${port.containerPort}/proxy/metrics`;
    yield* await orMissing(cluster, `/metrics of ${namespace}/${name}`, async () => ({
      kind: "file",
      path: `${folder}/metrics.txt`,
      content: cleanedText(await textOf(cluster, path, {})),
    }));
  }
}

/** Bounded: a log has long lines, too. */
async function textOf(
  cluster: Cluster,
  path: string,
  query: Readonly<Record<string, string | number | boolean | undefined>>,
): Promise<string> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of await cluster.client.stream({ path, query, accept: "text/plain, */*" })) {
    bytes += part.length;
    if (bytes > maxLogBytes) break;
    parts.push(part);
  }
  return Buffer.concat(parts).toString("utf8");
}
