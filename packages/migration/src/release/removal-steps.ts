// The last steps: objects, programs and definitions are removed; no deletion reaches a target.
import { metricRuleDefinition, wlaDefinition } from "@plimsoll/core/internal/objects";
import { keepsAdapter } from "./api-steps.ts";
import type { ReleaseStep } from "./contents.ts";
import { hasFinalizer, namespaceOf } from "./installed.ts";
import type { Planned } from "./planned.ts";
import {
  fromSaved,
  objectsFromSaved,
  ofRelease,
  programsFromSaved,
  removedDefinitions,
  removedWith,
} from "./saved.ts";
import { withManifests } from "./shell.ts";
import { withoutFinalizer } from "./stop-steps.ts";

export function removalSteps(planned: Planned): readonly ReleaseStep[] {
  return [
    ...objects(planned),
    ...programs(planned),
    ...definitions(planned),
    ...jobs(planned),
    ...paused(planned),
  ];
}

function objects(planned: Planned): readonly ReleaseStep[] {
  const { outcomes, kubectl } = planned;
  const left = outcomes.filter(({ kind }) => kind !== "bounds").map(({ wla }) => wla);
  if (left.length === 0) return [];
  return [
    {
      title: "Delete the WorkloadAutoscalers",
      reason:
        "No process reads them. --cascade=orphan: nothing that names one as its owner is deleted with it.",
      commands: left.flatMap((wla) => [
        ...(hasFinalizer(wla) ? [withoutFinalizer(wla, kubectl)] : []),
        kubectl("-n", namespaceOf(wla), "delete", "wla", wla.metadata.name, "--cascade=orphan"),
      ]),
      undo: {
        commands: [objectsFromSaved(planned, wlaDefinition)],
        note: "Delete the HorizontalPodAutoscalers that this plan created first: a target has one owner.",
      },
    },
  ];
}

function programs(planned: Planned): readonly ReleaseStep[] {
  const { kubectl, managed } = planned;
  const isKept = keepsAdapter(planned);
  const { programs: gone, services, labeled, releases } = removedWith(planned);
  if (gone.length + services.length === 0) return [];
  return [
    {
      title: isKept ? "Remove the autoscaler" : "Remove the programs",
      reason: isKept
        ? "The adapter, its rules and its rights stay."
        : "Helm forgets its release instead of uninstalling it, because it would delete APIServices that others have now: leave out the line with owner=helm where the release has other charts, too. What operators read (ServiceMonitors, PrometheusRules, Certificates) has the same label, if you installed it.",
      commands: [
        ...gone.map(({ namespace, name }) => kubectl("-n", namespace, "delete", "deployment", name)),
        ...services.map(({ namespace, name }) => kubectl("-n", namespace, "delete", "service", name)),
        ...[...labeled, ...releases.map(ofRelease)].map((words) => kubectl("delete", ...words)),
      ],
      undo: {
        commands: programsFromSaved(planned),
        note: [
          ...(managed.length === 0
            ? []
            : [
                "Switch the built-in controller off first: the autoscaler starts with the replicas that it had.",
              ]),
          "They run as before, and Helm knows its release again. Ignore AlreadyExists errors.",
        ].join(" "),
      },
    },
  ];
}

/** Objects would be deleted with their definition: each has been, before. */
function definitions(planned: Planned): readonly ReleaseStep[] {
  const { installed, kubectl, folder } = planned;
  const { metricRules } = installed;
  const gone = removedDefinitions(planned);
  if (gone.length === 0) return [];
  return [
    {
      title: "Remove the definitions",
      reason: [
        "No object of them is left. That of CronHorizontalPodAutoscalers goes only where the autoscaler ran their jobs and none is left.",
        ...(metricRules.length > 0 && gone.includes(metricRuleDefinition)
          ? [`MetricRules go with theirs: they are in ${folder}.`]
          : []),
      ].join(" "),
      commands: gone.map((name) => kubectl("delete", "crd", name)),
      undo: {
        commands: [
          fromSaved(planned, "definitions"),
          ...gone.map((name) =>
            kubectl("wait", "--for=condition=Established", "--timeout=60s", `crd/${name}`),
          ),
          ...(metricRules.length > 0 && gone.includes(metricRuleDefinition)
            ? [objectsFromSaved(planned, metricRuleDefinition)]
            : []),
        ],
        note: "The API server serves their kinds again.",
      },
    },
  ];
}

function jobs({ installed }: Planned): readonly ReleaseStep[] {
  if (installed.cronHpas.length === 0) return [];
  return [
    {
      title: "Start kubernetes-cronhpa-controller",
      reason:
        "By hand, as it was installed before. It runs the jobs of CronHorizontalPodAutoscalers from their next times on; runs that were due meanwhile are lost.",
      commands: [],
      undo: { commands: [], note: "Stop it before an autoscaler runs with --cron-hpa." },
    },
  ];
}

function paused({ outcomes, kubectl }: Planned): readonly ReleaseStep[] {
  const later = outcomes.filter((outcome) => outcome.kind === "hpa").filter(({ isNow }) => !isNow);
  if (later.length === 0) return [];
  return [
    {
      title: "End pauses",
      reason: "Run it when the pause should end: an HPA can't be paused, and scales as soon as it exists.",
      commands: [
        withManifests(
          kubectl("create", "-f", "-"),
          later.map(({ hpa }) => hpa),
        ),
      ],
      undo: {
        commands: later.map(({ wla, name }) =>
          kubectl("-n", namespaceOf(wla), "delete", "hpa", name, "--cascade=orphan"),
        ),
        note: "The targets keep their replicas.",
      },
    },
  ];
}
