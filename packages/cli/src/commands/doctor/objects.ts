// The objects that the doctor examines: those that were named, or all of a scope.
import { messageOf } from "@plimsoll/component-base";
import { compareText } from "@plimsoll/core/internal/values";
import { parseSelector, SelectorError } from "@plimsoll/core/selector";
import { type Autoscaler, at, labelsOf, readAutoscaler } from "@plimsoll/doctor";
import type { Cluster } from "../../cluster/cluster.ts";
import { isClusterError } from "../../cluster/error-text.ts";
import { findObjects } from "../../objects/find.ts";
import { CliError } from "../../seams.ts";
import { otherKinds } from "./gather/kinds.ts";
import type { Lists } from "./gather/lists.ts";

export interface ObjectsToCheck {
  readonly objects: readonly Autoscaler[];
  /** Those that were named and cannot be examined. */
  readonly errors: readonly { readonly object: string; readonly message: string }[];
}

/** @throws CliError when there is nothing to examine. */
export async function objectsToCheck(
  cluster: Cluster,
  lists: Lists,
  names: readonly string[],
): Promise<ObjectsToCheck> {
  if (names.length === 0) return { objects: await allObjects(cluster, lists), errors: [] };
  const errors: { object: string; message: string }[] = [];
  const found = await findObjects(cluster, names, (object, error) => {
    if (!(error instanceof CliError) && !isClusterError(error)) throw error;
    const message = error instanceof CliError ? messageOf(error) : cluster.errorText(error);
    errors.push({ object, message });
  });
  if (found.length === 0) throw new CliError(errors.map(({ message }) => message).join("\n"));
  return { objects: found.flatMap(({ kind, object }) => readAutoscaler({ ...object, kind }) ?? []), errors };
}

async function allObjects(cluster: Cluster, lists: Lists): Promise<readonly Autoscaler[]> {
  const matches = selectorOf(cluster.selector);
  const objects: Autoscaler[] = [];
  for (const kind of [otherKinds.hpas, otherKinds.wlas]) {
    const listed = await lists.listAll(kind);
    if (!listed.ok) throw new CliError(listed.reason);
    objects.push(...listed.value.flatMap((raw) => readAutoscaler(raw) ?? []));
  }
  const chosen = objects.filter(({ raw }) => matches(labelsOf(at(raw, "metadata", "labels"))));
  const where = cluster.scope === undefined ? "the cluster" : `namespace "${cluster.scope}"`;
  if (chosen.length === 0)
    throw new CliError(
      `no HorizontalPodAutoscaler or WorkloadAutoscaler in ${where}${cluster.selector === undefined ? "" : " has these labels"}`,
    );
  return chosen.toSorted((a, b) => compareText(a.namespace, b.namespace) || compareText(a.name, b.name));
}

function selectorOf(text: string | undefined): (labels: Readonly<Record<string, string>>) => boolean {
  if (text === undefined) return () => true;
  try {
    const selector = parseSelector(text);
    return (labels) => selector.matches(labels);
  } catch (error) {
    if (!(error instanceof SelectorError)) throw error;
    throw new CliError(`-l ${text} is not a label selector: ${error.message}`);
  }
}
