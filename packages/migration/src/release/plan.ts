// The plan: what becomes of each object, what is lost, and the steps.
import { formatInstant } from "@plimsoll/core";
import { managedAnnotation } from "@plimsoll/core/internal/objects";
import type { KubeObject } from "@plimsoll/kube";
import { apiSteps, keepsAdapter } from "./api-steps.ts";
import type { Difference, ReleasedObject, ReleaseStep } from "./contents.ts";
import { handOverSteps } from "./hand-over-steps.ts";
import type { HpaAbilities } from "./hpa-of.ts";
import {
  annotationOf,
  type CronHpa,
  type Installed,
  managedMode,
  namespaceOf,
  scaleKey,
} from "./installed.ts";
import { type Outcome, outcomesOf } from "./outcomes.ts";
import type { Planned } from "./planned.ts";
import { removalSteps } from "./removal-steps.ts";
import type { Kubectl } from "./shell.ts";
import { stopSteps } from "./stop-steps.ts";

export interface PlanOptions {
  readonly abilities: HpaAbilities;
  readonly nowMs: number;
  readonly kubectl: Kubectl;
}

interface Plan {
  readonly objects: readonly ReleasedObject[];
  readonly differences: readonly Difference[];
  readonly steps: readonly ReleaseStep[];
  readonly notes: readonly string[];
}

/** Undefined: nothing of Plimsoll is there. */
export function planOf(installed: Installed, { abilities, nowMs, kubectl }: PlanOptions): Plan | undefined {
  const managed = managedOf(installed);
  const { programs, crds, wlas } = installed;
  if (programs.length + crds.length + wlas.length + managed.length === 0) return undefined;
  const outcomes = outcomesOf(installed, abilities, nowMs);
  const folder = `plimsoll-before-${formatInstant(nowMs).replaceAll(/[-:]|\.\d+/g, "")}`;
  const planned: Planned = { installed, outcomes, managed, kubectl, folder };
  return {
    objects: [
      ...managed.map((hpa) =>
        released(installed, hpa, `hpa/${hpa.metadata.name}`, "stays; the built-in controller scales"),
      ),
      ...outcomes.map((outcome) =>
        released(installed, outcome.wla, `wla/${outcome.wla.metadata.name}`, becomes(outcome)),
      ),
      ...installed.cronHpas.map((object) => cronObject(installed, object)),
    ],
    differences: [
      ...outcomes.flatMap(({ differences }) => differences),
      ...installed.cronHpas.flatMap(cronDifferences),
      ...(keepsAdapter(planned) ? [] : installed.metricRules.map(ruleDifference)),
    ],
    steps: [...stopSteps(planned), ...apiSteps(planned), ...handOverSteps(planned), ...removalSteps(planned)],
    notes: notesOf(planned),
  };
}

/** Also those that are only marked: whoever reads the mark has gone already. */
function managedOf(installed: Installed): Installed["hpas"] {
  const mode = managedMode(installed);
  return installed.hpas.filter((hpa) => mode === "all" || annotationOf(hpa, managedAnnotation) === "true");
}

function released(
  { scales }: Installed,
  object: Installed["hpas"][number],
  name: string,
  what: string,
): ReleasedObject {
  const { kind, name: target } = object.spec.scaleTargetRef;
  const namespace = namespaceOf(object);
  const scale = scales.get(scaleKey(namespace, object.spec.scaleTargetRef));
  return {
    object: name,
    namespace,
    target: `${kind}/${target}`,
    replicas: scale?.replicas ?? null,
    becomes: what,
  };
}

function becomes(outcome: Outcome): string {
  switch (outcome.kind) {
    case "hpa":
      return outcome.isNow ? `hpa/${outcome.name}` : `hpa/${outcome.name}, after its pause`;
    case "there":
      return `hpa/${outcome.name}, which is there`;
    case "bounds":
      return `nothing; hpa/${outcome.name} has its own bounds`;
    case "nothing":
      return "nothing";
  }
}

function cronObject({ scales }: Installed, object: CronHpa): ReleasedObject {
  const { kind = "?", name = "?", ...rest } = object.spec?.scaleTargetRef ?? {};
  const namespace = namespaceOf(object);
  return {
    object: `cronhpa/${object.metadata.name}`,
    namespace,
    target: `${kind}/${name}`,
    replicas: scales.get(scaleKey(namespace, { ...rest, kind, name }))?.replicas ?? null,
    becomes: "stays; kubernetes-cronhpa-controller runs its jobs",
  };
}

const cronAnnotations: readonly (readonly [name: string, instead: string])[] = [
  ["time-zone", "the zone of the process of kubernetes-cronhpa-controller"],
  ["cron-hpa-bounds", "jobs move the bounds of an HPA, as with Move"],
];

function ruleDifference(rule: KubeObject): Difference {
  return {
    object: `metricrule/${rule.metadata.name}`,
    namespace: namespaceOf(rule),
    path: "spec",
    instead: "nothing serves its metric: a rule for it has to be in the configuration of the other adapter",
  };
}

function cronDifferences(object: CronHpa): readonly Difference[] {
  return cronAnnotations.flatMap(([name, instead]) => {
    const annotation = `autoscaling.plimsoll.dev/${name}`;
    if (annotationOf(object, annotation) === undefined) return [];
    return [
      {
        object: `cronhpa/${object.metadata.name}`,
        namespace: namespaceOf(object),
        path: `metadata.annotations[${annotation}]`,
        instead,
      },
    ];
  });
}

function notesOf(planned: Planned): readonly string[] {
  const { installed } = planned;
  const notes: string[] = [];
  if (keepsAdapter(planned))
    notes.push(
      "metrics-adapter stays, because HorizontalPodAutoscalers read its metrics and no other Service is known to serve them: --metrics-service NAMESPACE/NAME names one",
    );
  if (!installed.programs.some(({ component }) => component === "autoscaler"))
    notes.push(
      "no Deployment of an autoscaler was found by the labels of its chart: stop one that runs otherwise before the second step",
    );
  notes.push(...programNotes(planned));
  const moved = installed.cronHpas.filter(
    ({ spec }) => spec?.scaleTargetRef?.kind === "HorizontalPodAutoscaler",
  );
  for (const { metadata, spec } of moved)
    notes.push(
      `cronhpa/${metadata.name} may have moved the bounds of hpa/${spec?.scaleTargetRef?.name ?? ""}: jobs save no bounds, compare them with your manifest`,
    );
  return notes;
}

/** What the labels of Deployments leave open. */
function programNotes(planned: Planned): readonly string[] {
  const { programs, workloads } = planned.installed;
  const several = (["autoscaler", "metrics-adapter"] as const).flatMap((component) => {
    const found = programs.filter((one) => one.component === component);
    const names = found.map(({ namespace, name }) => `${namespace}/${name}`);
    return new Set(found.map(({ namespace }) => namespace)).size < 2
      ? []
      : [
          `Deployments with the labels of the ${component} are in several namespaces: ${names.join(", ")}. The steps remove each: take the labels away from one that is not of Plimsoll, and print the plan again`,
        ];
  });
  const federates = programs.some(
    ({ component, args }) =>
      component === "metrics-adapter" && args.some((arg) => /^--federation-config(?:=|$)/.test(arg)),
  );
  return [
    ...several,
    ...workloads.map(
      (name) =>
        `Deployment ${name} has the labels of Plimsoll and is scaled by an autoscaler: it is left alone`,
    ),
    ...(federates && !keepsAdapter(planned)
      ? [
          "metrics-adapter hands requests on to other adapters (--federation-config), and the Service that gets the metrics APIs does not: give their APIServices back to them before the autoscalers need them",
        ]
      : []),
  ];
}
