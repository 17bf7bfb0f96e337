// How objects are named on the command line.
import { CliError } from "../seams.ts";

/** `NAME`, `hpa/NAME`, `wla/NAME`, `deploy|sts|rs|rollout/NAME` for what scales it, `so/NAME` for a ScaledObject's HPA. */
export type ObjectReference =
  | { readonly kind: "any" | "hpa" | "wla" | "so"; readonly name: string }
  | { readonly kind: "target"; readonly name: string; readonly target: TargetKind };

export interface TargetKind {
  readonly group: string;
  readonly kind: string;
}

const apps = (kind: string): TargetKind => ({ group: "apps", kind });

const targets: Readonly<Record<string, TargetKind>> = {
  deploy: apps("Deployment"),
  deployment: apps("Deployment"),
  deployments: apps("Deployment"),
  sts: apps("StatefulSet"),
  statefulset: apps("StatefulSet"),
  statefulsets: apps("StatefulSet"),
  rs: apps("ReplicaSet"),
  replicaset: apps("ReplicaSet"),
  replicasets: apps("ReplicaSet"),
  rollout: { group: "argoproj.io", kind: "Rollout" },
  rollouts: { group: "argoproj.io", kind: "Rollout" },
};

const kinds: Readonly<Record<string, "hpa" | "wla" | "so">> = {
  hpa: "hpa",
  horizontalpodautoscaler: "hpa",
  horizontalpodautoscalers: "hpa",
  wla: "wla",
  workloadautoscaler: "wla",
  workloadautoscalers: "wla",
  so: "so",
  scaledobject: "so",
  scaledobjects: "so",
};

/** @throws CliError for another kind, or no name. */
export function parseReference(text: string): ObjectReference {
  const parts = text.split("/");
  const [first = "", name] = parts;
  if (name === undefined) return checked({ kind: "any", name: first }, text);
  if (parts.length > 2)
    throw new CliError(`"${text}" is not an object: ${allowed}; set the namespace with -n`);
  // What follows a dot is the group, as in kubectl.
  const word = first.toLowerCase().split(".")[0] ?? "";
  const kind = Object.hasOwn(kinds, word) ? kinds[word] : undefined;
  if (kind !== undefined) return checked({ kind, name }, text);
  const target = Object.hasOwn(targets, word) ? targets[word] : undefined;
  if (target !== undefined) return checked({ kind: "target", name, target }, text);
  throw new CliError(`"${text}": kind "${first}" is unknown; ${allowed}`);
}

const allowed = "use NAME, hpa/NAME, wla/NAME, deploy|sts|rs|rollout/NAME or so/NAME";

function checked(reference: ObjectReference, text: string): ObjectReference {
  if (reference.name !== "") return reference;
  throw new CliError(`"${text}" has no name; ${allowed}`);
}
