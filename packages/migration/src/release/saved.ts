// What the first step saves, and how it comes back.
import { metricRuleDefinition } from "@plimsoll/core/internal/objects";
import { keepsAdapter, movedApis } from "./api-steps.ts";
import type { ReleaseStep } from "./contents.ts";
import { type Program, runsJobs, type ServiceName } from "./installed.ts";
import type { Planned } from "./planned.ts";

const partOf = "app.kubernetes.io/part-of=plimsoll";
const namespacedKinds = "configmap,secret,serviceaccount,role,rolebinding,poddisruptionbudget,networkpolicy";
const cronHpaSuffix = ".alibabacloud.com";
const clusterKinds = "clusterrole,clusterrolebinding";

/** Programs that go, and what goes with them. */
export interface Removed {
  readonly programs: readonly Program[];
  readonly services: readonly ServiceName[];
  /** Arguments of kubectl that name everything else by label. */
  readonly labeled: readonly (readonly string[])[];
  readonly releases: readonly { readonly namespace: string; readonly release: string }[];
}

export function removedWith(planned: Planned): Removed {
  const { programs, services } = planned.installed;
  if (keepsAdapter(planned)) {
    const isGone = ({ component }: ServiceName): boolean => component === "autoscaler";
    return {
      programs: programs.filter(isGone),
      services: services.filter(isGone),
      labeled: [],
      releases: [],
    };
  }
  const releases = programs.flatMap(({ namespace, release }) =>
    release === undefined ? [] : [{ namespace, release }],
  );
  return {
    programs,
    services,
    labeled: [
      [namespacedKinds, "-A", "-l", partOf],
      [clusterKinds, "-l", partOf],
    ],
    releases: [...new Map(releases.map((one) => [`${one.namespace}/${one.release}`, one])).values()],
  };
}

/** Of those that are installed. */
export function removedDefinitions(planned: Planned): readonly string[] {
  const { installed } = planned;
  const { crds, cronHpas } = installed;
  // Another controller may have brought that kind: it goes only with an autoscaler that ran its jobs.
  const isOurs = cronHpas.length === 0 && runsJobs(installed);
  const isKept = (name: string): boolean =>
    (name.endsWith(cronHpaSuffix) && !isOurs) || (name === metricRuleDefinition && keepsAdapter(planned));
  return crds.filter((name) => !isKept(name));
}

export function ofRelease({ namespace, release }: Removed["releases"][number]): readonly string[] {
  return ["-n", namespace, "secret", "-l", `owner=helm,name=${release}`];
}

type Parts = Readonly<Record<string, readonly string[]>>;

/** What `kubectl get` is to print, by the name of a file. */
function partsOf(planned: Planned): Parts {
  const { crds } = planned.installed;
  const definitions = removedDefinitions(planned);
  const apis = movedApis(planned).map(({ metadata }) => metadata.name);
  return {
    horizontalpodautoscalers: ["hpa", "-A"],
    ...Object.fromEntries(crds.map((crd) => [kindOf(crd), [crd, "-A"]])),
    ...(definitions.length === 0 ? {} : { definitions: ["crd", ...definitions] }),
    ...(apis.length === 0 ? {} : { apiservices: ["apiservice", ...apis] }),
    ...programParts(planned),
  };
}

function programParts(planned: Planned): Parts {
  const { programs, services, labeled, releases } = removedWith(planned);
  if (programs.length + services.length === 0) return {};
  const selector = labeled.length === 0 ? `${partOf},app.kubernetes.io/component=autoscaler` : partOf;
  const kinds = labeled.length === 0 ? [] : [namespacedKinds, clusterKinds];
  return {
    programs: [["deployment,service", ...kinds].join(","), "-A", "-l", selector],
    ...Object.fromEntries(releases.map((one, index) => [`helm-${index + 1}`, ofRelease(one)])),
  };
}

function kindOf(crd: string): string {
  return crd.split(".")[0] ?? crd;
}

/** The folder has its name once it is whole: what a command that failed has left is never taken for what was there. */
export function saveStep(planned: Planned): ReleaseStep {
  const { kubectl, folder } = planned;
  const part = `${folder}.part`;
  const { labeled } = removedWith(planned);
  return {
    title: "Save what is there",
    reason: [
      `Continue when the folder ${folder} exists: it gets this name once everything is saved. Later steps are undone from it. It can contain Secrets, so keep it unreadable for other users.`,
      ...(labeled.length === 0
        ? []
        : [
            "A later step deletes everything that is listed here, by its label. Remove the label from objects that aren't Plimsoll's, and print the plan again.",
          ]),
    ].join(" "),
    commands: [
      [
        `mkdir -m 700 ${part}`,
        ...Object.entries(partsOf(planned)).map(
          ([name, words]) => `${kubectl("get", ...words, "-o", "yaml")} > ${part}/${name}.yaml`,
        ),
        `mv ${part} ${folder}`,
      ].join(" &&\n"),
      ...labeled.map((words) => kubectl("get", ...words)),
    ],
    undo: { commands: [], note: "Nothing was changed." },
  };
}

/** Creates what a file has. The API server takes no resourceVersion with a new object. */
export function fromSaved({ folder, kubectl }: Planned, name: string): string {
  return `sed '/^ *resourceVersion: "[0-9]*"$/d' ${folder}/${name}.yaml | ${kubectl("create", "-f", "-")}`;
}

/** Creates the objects of a kind. */
export function objectsFromSaved(planned: Planned, crd: string): string {
  return fromSaved(planned, kindOf(crd));
}

/** Creates programs, and what Helm knows of them. */
export function programsFromSaved(planned: Planned): readonly string[] {
  return Object.keys(programParts(planned)).map((name) => fromSaved(planned, name));
}
