// What setup prints: values for the chart, and autoscalers with the user's names.
import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileErrorText, replaceFile } from "@plimsoll/component-base/process";
import type { HpaSpec } from "@plimsoll/core";
import { parse, stringify } from "yaml";
import { styleOf } from "../../output/style.ts";
import { wrap } from "../../output/width.ts";
import { CliError, type CliSeams } from "../../seams.ts";
import type { Surroundings, Workload } from "./look.ts";
import type { Proof } from "./prove.ts";

export interface Manifest {
  readonly file: string;
  /** For whom it is, as a comment. */
  readonly about: string;
  readonly text: string;
}

interface Subject {
  readonly proof: Proof;
  readonly workload: Workload;
  readonly namespace: string;
}

/** The autoscaler of the Kubernetes walkthrough, on the metric that was proved. */
export function hpaOf({ proof, workload, namespace }: Subject) {
  const { recipe, resource, name, metric, selector } = proof;
  const { type, value } = recipe.target;
  const target = type === "Value" ? { type, value } : { type, averageValue: value };
  const labels = Object.keys(selector).length > 0 ? { selector: { matchLabels: selector } } : {};
  const named = { name: metric, ...labels };
  const metrics =
    resource === undefined
      ? [{ type: "External", external: { metric: named, target } }]
      : resource === "pods"
        ? [{ type: "Pods", pods: { metric: named, target } }]
        : [
            {
              type: "Object",
              object: { describedObject: describedObject(resource, name), metric: named, target },
            },
          ];
  const { apiVersion, kind } = workload;
  const spec = {
    scaleTargetRef: { apiVersion, kind, name: workload.name },
    minReplicas: 1,
    maxReplicas: Math.max(10, workload.replicas),
    metrics,
  };
  return {
    apiVersion: "autoscaling/v2",
    kind: "HorizontalPodAutoscaler",
    metadata: { name: workload.name, namespace },
    // The literals above have their types' values.
    spec: spec as typeof spec & HpaSpec,
  };
}

const described: Readonly<Record<string, readonly [apiVersion: string, kind: string]>> = {
  services: ["v1", "Service"],
  "deployments.apps": ["apps/v1", "Deployment"],
  "ingresses.networking.k8s.io": ["networking.k8s.io/v1", "Ingress"],
  "httproutes.gateway.networking.k8s.io": ["gateway.networking.k8s.io/v1", "HTTPRoute"],
  "gateways.gateway.networking.k8s.io": ["gateway.networking.k8s.io/v1", "Gateway"],
  "inferencepools.inference.networking.k8s.io": ["inference.networking.k8s.io/v1", "InferencePool"],
};

function describedObject(resource: string, name: string): object {
  const [apiVersion = "v1", kind = resource] = described[resource] ?? [];
  return { apiVersion, kind, name };
}

/** Prints lines as wide as the terminal; what has no room continues below the text, not below its heading. */
export function printer(seams: CliSeams): (line: string) => void {
  const { columns, text } = styleOf(seams, "never");
  return (line) => {
    const [heading = ""] = /^ *(?:[\w ]+ {2,}|\d\. )?/.exec(line) ?? [];
    seams.writeOut(`${wrap(text(line), columns, " ".repeat(heading.length)).join("\n")}\n`);
  };
}

/** In the order in which they are applied. */
export function manifestsOf(subject: Subject): readonly Manifest[] {
  const { rules = [], externalRules = [] } = parse(subject.proof.rules) as {
    readonly rules?: readonly unknown[];
    readonly externalRules?: readonly unknown[];
  };
  const hpa = hpaOf(subject);
  const values = {
    rules: {
      ...(rules.length > 0 ? { custom: rules } : {}),
      ...(externalRules.length > 0 ? { external: externalRules } : {}),
    },
  };
  const yaml = (value: object) => stringify(value, { lineWidth: 0 });
  return [
    { file: "values.yaml", about: "values for the chart: rules of the metrics adapter", text: yaml(values) },
    { file: "hpa.yaml", about: "the autoscaler", text: yaml(hpa) },
    {
      file: "workload-autoscaler.yaml",
      about: "instead of hpa.yaml, where Plimsoll's autoscaler runs",
      text: yaml({ ...hpa, apiVersion: "autoscaling.plimsoll.dev/v1alpha1", kind: "WorkloadAutoscaler" }),
    },
  ];
}

/** Only over what it wrote itself: a chart has a values.yaml, too. @throws CliError */
async function writeManifests(folder: string, manifests: readonly Manifest[]): Promise<void> {
  try {
    await mkdir(folder, { recursive: true });
    for (const { file, about } of manifests) {
      const before = await readFile(join(folder, file), "utf8").catch((error: unknown) => {
        if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
        throw error;
      });
      if (before?.startsWith(`# ${about}\n`) === false)
        throw new CliError(
          `--out ${folder}: ${file} is there already, and not from this command: use another folder`,
        );
    }
    for (const { file, about, text } of manifests)
      await replaceFile(join(folder, file), `# ${about}\n${text}`, "same");
  } catch (error) {
    if (error instanceof CliError) throw error;
    throw new CliError(`cannot write to --out ${folder}: ${fileErrorText(error, folder)}`);
  }
}

/** To files, or to the screen. @throws CliError */
export async function printManifests(
  manifests: readonly Manifest[],
  folder: string | undefined,
  seams: CliSeams,
): Promise<void> {
  if (folder !== undefined) {
    await writeManifests(folder, manifests);
    seams.writeOut(`\nWrote ${manifests.map(({ file }) => `${folder}/${file}`).join(", ")}.\n`);
    return;
  }
  for (const { file, about, text } of manifests) seams.writeOut(`\n# ${file}: ${about}\n${text}`);
}

/** How to use it. */
export function nextSteps(
  { workload, scalers: [scaler] }: Surroundings,
  namespace: string,
  folder: string | undefined,
): readonly string[] {
  const place = folder === undefined ? "" : `${folder}/`;
  return [
    `  1. Add the rules of ${place}values.yaml to the chart's values, and upgrade the release.`,
    `     If you may not, save them as a rules file and run plimsoll convert FILE --to metric-rules --namespace ${namespace}`,
    "  2. Set the target to what one replica handles.",
    scaler === undefined
      ? `  3. kubectl apply -f ${place}hpa.yaml`
      : `  3. Add the metric of ${place}hpa.yaml to ${scaler}: two autoscalers of one workload work against each other.`,
    `  4. plimsoll watch ${workload.name} -n ${namespace}`,
  ];
}
