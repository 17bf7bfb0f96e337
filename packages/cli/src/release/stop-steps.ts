// The first steps: everything is saved, nothing of ours scales any more, moved bounds are put back.
import type { ServedObject } from "../decisions/source.ts";
import type { ReleaseStep } from "./document.ts";
import { boundsAnnotation, finalizersOf, namespaceOf, type Program, wlaDefinition } from "./installed.ts";
import { type MovedBounds, movedBounds } from "./moved-bounds.ts";
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
