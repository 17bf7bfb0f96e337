// The first steps: everything is saved, nothing of ours scales any more, moved bounds are put back.
import type { ReleaseStep } from "./document.ts";
import { boundsAnnotation, namespaceOf, type Program } from "./installed.ts";
import { movedBounds } from "./outcomes.ts";
import type { Planned } from "./planned.ts";

const file = "plimsoll-before.yaml";

export function stopSteps(planned: Planned): readonly ReleaseStep[] {
  return [saved(planned), ...stopped(planned), ...restored(planned)];
}

function saved({ installed, kubectl }: Planned): ReleaseStep {
  const kinds = ["hpa", ...installed.crds, "apiservices"].join(",");
  return {
    title: "Save what is there",
    reason: `The file ${file} is needed to take back later steps.`,
    commands: [`${kubectl("get", kinds, "-A", "-o", "yaml")} > ${file}`],
    undo: { commands: [], note: "Nothing was changed." },
  };
}

function stopped({ installed, kubectl }: Planned): readonly ReleaseStep[] {
  const running = installed.programs.filter(
    ({ component, replicas }) => component === "autoscaler" && replicas > 0,
  );
  if (running.length === 0) return [];
  const scaled = ({ namespace, name }: Program, replicas: number): string =>
    kubectl("-n", namespace, "scale", `deployment/${name}`, `--replicas=${replicas}`);
  return [
    {
      title: "Stop the autoscaler",
      reason:
        "From here on nothing of Plimsoll scales a target, moves bounds or runs a job. What GitOps applies has to say the same.",
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
function restored({ installed, outcomes, kubectl }: Planned): readonly ReleaseStep[] {
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
      "--type=merge",
      "-p",
      JSON.stringify({
        metadata: { annotations: { [boundsAnnotation]: null } },
        ...(own === undefined ? {} : { spec: own }),
      }),
    ),
  );
  const removals = movers.flatMap((wla) => [
    kubectl(
      "-n",
      namespaceOf(wla),
      "patch",
      "wla",
      wla.metadata.name,
      "--type=merge",
      "-p",
      '{"metadata":{"finalizers":null}}',
    ),
    kubectl("-n", namespaceOf(wla), "delete", "wla", wla.metadata.name, "--cascade=orphan"),
  ]);
  return [
    {
      title: "Put back the bounds that schedules moved",
      reason:
        "minReplicas and maxReplicas are those that were saved when a schedule moved them. A built-in controller that manages the HPA already follows them at once.",
      commands: [...patches, ...removals],
      undo: {
        commands: [],
        note: `Create the WorkloadAutoscalers again from ${file}: a running autoscaler moves the bounds again.`,
      },
    },
  ];
}
