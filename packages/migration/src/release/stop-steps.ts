// The first steps: everything is saved, nothing of ours scales any more, moved bounds are put back.
import {
  boundsAnnotation,
  boundsFields,
  scheduleManager,
  wlaDefinition,
} from "@plimsoll/core/internal/objects";
import { fieldsOf } from "@plimsoll/core/internal/values";
import type { ServedObject } from "@plimsoll/observe";
import type { ReleaseStep } from "./contents.ts";
import { annotationOf, finalizersOf, type Installed, namespaceOf, type Program } from "./installed.ts";
import type { Planned } from "./planned.ts";
import { objectsFromSaved, saveStep } from "./saved.ts";
import { jsonWord, type Kubectl } from "./shell.ts";

export function stopSteps(planned: Planned): readonly ReleaseStep[] {
  return [saveStep(planned), ...stopped(planned), ...restored(planned)];
}

function stopped({ installed, outcomes, kubectl }: Planned): readonly ReleaseStep[] {
  const running = installed.programs.filter(
    ({ component, replicas }) => component === "autoscaler" && replicas > 0,
  );
  if (running.length === 0) return [];
  const scaled = ({ namespace, name }: Program, replicas: number): string =>
    kubectl("-n", namespace, "scale", `deployment/${name}`, `--replicas=${replicas}`);
  return [
    {
      title: "Stop the autoscaler",
      reason: [
        "From here on nothing of Plimsoll scales a target, moves bounds or runs a job. What GitOps applies has to say the same.",
        ...(outcomes.some(({ kind }) => kind === "bounds")
          ? ["Print the plan again after it: a schedule may have moved bounds since this one was printed."]
          : []),
      ].join(" "),
      commands: running.flatMap((program) => [
        scaled(program, 0),
        kubectl(
          "-n",
          program.namespace,
          "wait",
          "pod",
          "-l",
          program.selector,
          "--for=delete",
          "--timeout=60s",
        ),
      ]),
      undo: {
        commands: running.map((program) => scaled(program, program.replicas)),
        note: "It goes on from the statuses of its objects.",
      },
    },
  ];
}

/** Each write names what it puts back, so that no autoscaler is needed for it. */
function restored(planned: Planned): readonly ReleaseStep[] {
  const { installed, outcomes, kubectl } = planned;
  const moved = movedBounds(installed);
  const movers = outcomes.filter(({ kind }) => kind === "bounds").map(({ wla }) => wla);
  if (moved.length + movers.length === 0) return [];
  const patches = moved.map(({ hpa, own }) =>
    kubectl(
      "-n",
      namespaceOf(hpa),
      "patch",
      "hpa",
      hpa.metadata.name,
      "--type=json",
      "-p",
      jsonWord(putBack({ hpa, own })),
    ),
  );
  const removals = movers.flatMap((wla) => [
    withoutFinalizer(wla, kubectl),
    kubectl("-n", namespaceOf(wla), "delete", "wla", wla.metadata.name, "--cascade=orphan"),
  ]);
  return [
    {
      title: "Put back the bounds that schedules moved",
      reason:
        "minReplicas and maxReplicas are those that were saved when a schedule moved them, but for what another client wrote since. A patch is refused where they were moved again: print the plan again then. A built-in controller that manages the HPA already follows them at once.",
      commands: [...patches, ...removals],
      undo: {
        commands: movers.length === 0 ? [] : [objectsFromSaved(planned, wlaDefinition)],
        note: "It creates the WorkloadAutoscalers that are not there, and names those that are. A running autoscaler moves the bounds again.",
      },
    },
  ];
}

/** Nothing, where the annotation is not the one that the plan was made of. */
function putBack({ hpa, own }: MovedBounds): readonly object[] {
  const path = `/metadata/annotations/${boundsAnnotation.replaceAll("/", "~1")}`;
  return [
    { op: "test", path, value: hpa.metadata.annotations?.[boundsAnnotation] },
    { op: "remove", path },
    ...Object.entries(own).map(([field, value]) => ({ op: "add", path: `/spec/${field}`, value })),
  ];
}

/** Ours alone: without an autoscaler nothing else would take it away, and the object would stay. */
export function withoutFinalizer(wla: ServedObject, kubectl: Kubectl): string {
  const others = finalizersOf(wla).filter((name) => name !== boundsAnnotation);
  const finalizers = others.length === 0 ? null : others;
  const words = ["patch", "wla", wla.metadata.name, "--type=merge", "-p"];
  return kubectl("-n", namespaceOf(wla), ...words, jsonWord({ metadata: { finalizers } }));
}

/** An HPA whose bounds a schedule moved. */
interface MovedBounds {
  readonly hpa: ServedObject;
  /** By field; without those that another client wrote since. Empty where the annotation says nothing that can be used. */
  readonly own: Readonly<Record<string, number>>;
}

/** The bounds of HPAs that schedules moved, and what to put back. */
function movedBounds({ hpas }: Installed): readonly MovedBounds[] {
  return hpas.flatMap((hpa) => {
    const text = annotationOf(hpa, boundsAnnotation);
    return text === undefined ? [] : [{ hpa, own: ownBounds(hpa, text) }];
  });
}

function ownBounds(hpa: ServedObject, text: string): MovedBounds["own"] {
  let saved: unknown;
  try {
    saved = JSON.parse(text);
  } catch {
    return {};
  }
  const [own, set] = [fieldsOf(fieldsOf(saved)["own"]), fieldsOf(fieldsOf(saved)["set"])];
  const live = { minReplicas: hpa.spec.minReplicas ?? 1, maxReplicas: hpa.spec.maxReplicas };
  const ours = Object.fromEntries(
    boundsFields.flatMap((field) => {
      const value = own[field];
      const isOurs = live[field] === set[field] && !isLost(hpa, field);
      return typeof value === "number" && Number.isInteger(value) && isOurs ? [[field, value]] : [];
    }),
  );
  const { minReplicas, maxReplicas } = { ...live, ...ours };
  if (minReplicas <= maxReplicas) return ours;
  // The API server refuses one beside the other: what another client wrote since counts.
  return ours["minReplicas"] === undefined ? { maxReplicas: minReplicas } : { minReplicas: maxReplicas };
}

/** Whether only others own a field since schedules wrote it, whatever its value; not where nothing says who owns what. */
function isLost(hpa: ServedObject, field: string): boolean {
  return isScheduled(hpa, "metadata", "annotations", boundsAnnotation) && !isScheduled(hpa, "spec", field);
}

function isScheduled({ metadata }: ServedObject, ...path: readonly string[]): boolean {
  const { managedFields } = metadata as { readonly managedFields?: unknown };
  const entries = Array.isArray(managedFields) ? (managedFields as readonly unknown[]).map(fieldsOf) : [];
  return entries.some(({ manager, fieldsV1 }) => {
    let owned = fieldsV1;
    for (const name of path) owned = fieldsOf(owned)[`f:${name}`];
    return manager === scheduleManager && owned !== undefined;
  });
}
