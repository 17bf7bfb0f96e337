// The last steps: objects, programs and definitions are removed; no deletion reaches a target.

import { keepsAdapter } from "./api-steps.ts";
import type { ReleaseStep } from "./document.ts";
import { hasFinalizer, metricRuleDefinition, namespaceOf, runsJobs } from "./installed.ts";
import type { Planned } from "./planned.ts";
import { withManifests } from "./shell.ts";
import { withoutFinalizer } from "./stop-steps.ts";

const partOf = "app.kubernetes.io/part-of=plimsoll";
const cronHpaSuffix = ".alibabacloud.com";

export function removalSteps(planned: Planned): readonly ReleaseStep[] {
  return [
    ...objects(planned),
    ...programs(planned),
    ...definitions(planned),
    ...jobs(planned),
    ...paused(planned),
  ];
}

function objects({ outcomes, kubectl, file }: Planned): readonly ReleaseStep[] {
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
        commands: [],
        note: `Delete the HorizontalPodAutoscalers first, then create them again from ${file}.`,
      },
    },
  ];
}

function programs(planned: Planned): readonly ReleaseStep[] {
  const { installed, kubectl } = planned;
  const isKept = keepsAdapter(planned);
  const gone = installed.programs.filter(({ component }) => component === "autoscaler" || !isKept);
  const services = installed.services.filter(({ component }) => component === "autoscaler" || !isKept);
  if (gone.length + services.length === 0) return [];
  const byLabel = isKept
    ? []
    : [
        kubectl(
          "delete",
          "configmap,secret,serviceaccount,role,rolebinding,poddisruptionbudget,networkpolicy",
          "-A",
          "-l",
          partOf,
        ),
        kubectl("delete", "clusterrole,clusterrolebinding", "-l", partOf),
      ];
  const releases = new Map(
    gone.flatMap(({ namespace, release }) =>
      release === undefined || isKept ? [] : [[`${namespace}/${release}`, { namespace, release }] as const],
    ),
  );
  return [
    {
      title: isKept ? "Remove the autoscaler" : "Remove the programs",
      reason: isKept
        ? "The adapter, its rules and its rights stay."
        : "Helm forgets its release instead of uninstalling it, because it would delete APIServices that others have now. What operators read (ServiceMonitors, PrometheusRules, Certificates) has the same label, if you installed it.",
      commands: [
        ...gone.map(({ namespace, name }) => kubectl("-n", namespace, "delete", "deployment", name)),
        ...services.map(({ namespace, name }) => kubectl("-n", namespace, "delete", "service", name)),
        ...byLabel,
        ...[...releases.values()].map(({ namespace, release }) =>
          kubectl("-n", namespace, "delete", "secret", "-l", `owner=helm,name=${release}`),
        ),
      ],
      undo: { commands: [], note: "Install again, as docs/install.md says." },
    },
  ];
}

/** Objects would be deleted with their definition: each has been, before. */
function definitions(planned: Planned): readonly ReleaseStep[] {
  const { installed, kubectl, file } = planned;
  const { crds, cronHpas, metricRules } = installed;
  // Another controller may have brought that kind: it goes only with an autoscaler that ran its jobs.
  const isOurs = cronHpas.length === 0 && runsJobs(installed);
  const isKept = (name: string): boolean =>
    (name.endsWith(cronHpaSuffix) && !isOurs) || (name === metricRuleDefinition && keepsAdapter(planned));
  const gone = crds.filter((name) => !isKept(name));
  if (gone.length === 0) return [];
  return [
    {
      title: "Remove the definitions",
      reason: [
        "No object of them is left. That of CronHorizontalPodAutoscalers goes only where the autoscaler ran their jobs and none is left.",
        ...(metricRules.length > 0 && gone.includes(metricRuleDefinition)
          ? [`MetricRules go with theirs: they are in ${file}.`]
          : []),
      ].join(" "),
      commands: gone.map((name) => kubectl("delete", "crd", name)),
      undo: { commands: [], note: "kubectl apply -f deploy/crds" },
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
      reason: "When you want it: an HPA cannot be paused, and scales as soon as it is there.",
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
