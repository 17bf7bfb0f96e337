// The steps by which other adapters come behind ours, without a gap.
import { createHash } from "node:crypto";
import { formatInstant } from "@plimsoll/core";
import { stringify } from "yaml";
import type { ReleaseStep } from "../release/contents.ts";
import type { ApiService } from "../release/installed.ts";
import type { Kubectl } from "../release/shell.ts";
import type { FoundBackend } from "./backends.ts";
import type { InstalledAdapter } from "./registered.ts";

/** Where the adapter has the file, and the CAs that it names. */
const folder = "/etc/plimsoll/federation";
const configMap = "plimsoll-federation";

/** The file of backends, as the pods of the adapter read it. */
export function configOf(backends: readonly FoundBackend[]): string {
  if (backends.length === 0) return "";
  return stringify(
    {
      backends: backends.map(({ name, service, ca, groups, match }) => ({
        name,
        service,
        ...(ca === undefined ? { insecureSkipTLSVerify: true } : { caBundleFile: `${folder}/${name}.crt` }),
        groups,
        ...(match === undefined ? {} : { match }),
      })),
    },
    { lineWidth: 0 },
  );
}

/** For the cluster of the plan. */
export interface Commands {
  readonly kubectl: Kubectl;
  readonly helm: Kubectl;
}

/** All steps, in order. */
export function stepsOf(
  backends: readonly FoundBackend[],
  adapter: InstalledAdapter,
  { kubectl, helm, nowMs }: Commands & { readonly nowMs: number },
): readonly ReleaseStep[] {
  if (backends.length === 0) return [];
  const apiServices = backends.flatMap((backend) => backend.apiServices);
  return [
    saveStep(apiServices, kubectl, nowMs),
    adapter.release === undefined
      ? manifestStep(backends, adapter, kubectl)
      : helmStep(backends, { ...adapter, release: adapter.release }, helm),
    readyStep(adapter, kubectl),
    ...apiServices.map((one) => handOverStep(one, adapter, kubectl)),
  ];
}

/** Into a file of this plan: what was saved before another take-over, or by this step when it was carried out, stays. */
function saveStep(apiServices: readonly ApiService[], kubectl: Kubectl, nowMs: number): ReleaseStep {
  const names = apiServices.map(({ metadata }) => metadata.name);
  const file = `federation-before-${formatInstant(nowMs).replaceAll(/[-:]|\.\d+/g, "")}.yaml`;
  return {
    title: "Save the APIServices",
    reason: "They are needed to go back by hand.",
    commands: [
      `test -e ${file} || { ${kubectl("get", "apiservice", ...names, "-o", "yaml")} > ${file}.part && mv ${file}.part ${file}; }`,
    ],
    undo: { commands: [], note: "Nothing has changed." },
  };
}

function helmStep(
  backends: readonly FoundBackend[],
  { release, namespace }: { readonly release: string; readonly namespace: string },
  helm: Kubectl,
): ReleaseStep {
  const values = {
    federation: {
      backends: backends.map(({ name, service, ca, groups, match }) => ({
        name,
        service,
        ...(ca === undefined ? { insecureSkipTLSVerify: true } : { caBundle: ca }),
        groups,
        ...(match === undefined ? {} : { match }),
      })),
    },
  };
  const upgrade = ["upgrade", release, "deploy/chart/plimsoll", "--namespace", namespace];
  return {
    title: "Name the other adapters to ours",
    reason: "The APIServices lead where they did: nothing is handed on yet.",
    commands: [
      `cat > federation-values.yaml <<'VALUES'\n${yamlOf(values)}VALUES`,
      helm(...upgrade, "--reuse-values", "--values", "federation-values.yaml", "--wait"),
    ],
    undo: {
      commands: [helm("rollback", release, "--namespace", namespace, "--wait")],
      note: "After the APIServices have gone back.",
    },
  };
}

function manifestStep(
  backends: readonly FoundBackend[],
  adapter: InstalledAdapter,
  kubectl: Kubectl,
): ReleaseStep {
  const { namespace, name, args, container } = adapter;
  const manifests = manifestsOf(backends, adapter).map(yamlOf).join("---\n");
  // The file is read at the start alone: pods that have the flag already must be replaced for another file.
  const checksum = createHash("sha256").update(manifests).digest("hex");
  const patch = {
    spec: {
      template: {
        metadata: { annotations: { "checksum/federation": checksum } },
        spec: {
          volumes: [{ name: "federation", configMap: { name: configMap } }],
          containers: [
            {
              name: container,
              args: [
                ...args.filter((arg) => !arg.startsWith("--federation-config=")),
                `--federation-config=${folder}/backends.yaml`,
              ],
              volumeMounts: [{ name: "federation", mountPath: folder, readOnly: true }],
            },
          ],
        },
      },
    },
  };
  const ofDeployment = ["-n", namespace, `deployment/${name}`];
  return {
    title: "Name the other adapters to ours",
    reason: "The APIServices lead where they did: nothing is handed on yet.",
    commands: [
      `${kubectl("apply", "-f", "-")} <<'MANIFESTS'\n${manifests}MANIFESTS`,
      kubectl("patch", ...ofDeployment, "--type=strategic", "-p", JSON.stringify(patch)),
      kubectl("rollout", "status", ...ofDeployment, "--timeout=120s"),
    ],
    undo: {
      commands: [kubectl("rollout", "undo", ...ofDeployment)],
      note: "After the APIServices have gone back.",
    },
  };
}

/** Files stand in it as they are; Helm and kubectl read YAML 1.1. */
function yamlOf(object: object): string {
  return stringify(object, { lineWidth: 0, version: "1.1" });
}

function manifestsOf(backends: readonly FoundBackend[], adapter: InstalledAdapter): readonly object[] {
  const { namespace, serviceAccount } = adapter;
  const cas = backends.flatMap(({ name, ca }) => (ca === undefined ? [] : [[`${name}.crt`, ca] as const]));
  const role = { apiVersion: "rbac.authorization.k8s.io/v1", metadata: { name: configMap } };
  return [
    {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: configMap, namespace },
      data: { "backends.yaml": configOf(backends), ...Object.fromEntries(cas) },
    },
    {
      ...role,
      kind: "ClusterRole",
      rules: [
        {
          apiGroups: [...new Set(backends.flatMap(({ groups }) => groups))].sort(),
          resources: ["*"],
          verbs: ["get", "list"],
        },
      ],
    },
    {
      ...role,
      kind: "ClusterRoleBinding",
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: configMap },
      subjects: [{ kind: "ServiceAccount", name: serviceAccount, namespace }],
    },
  ];
}

function readyStep({ service }: InstalledAdapter, kubectl: Kubectl): ReleaseStep {
  const path = `/api/v1/namespaces/${service.namespace}/services/https:${service.name}:${service.port}/proxy/readyz?verbose`;
  return {
    title: "Look whether our adapter reads their lists",
    reason:
      'Go on when the line of "backends" names none that is down: the next steps would make its metrics unavailable.',
    commands: [kubectl("get", "--raw", path)],
    undo: { commands: [], note: "Nothing has changed." },
  };
}

function handOverStep(
  { metadata, spec }: ApiService,
  adapter: InstalledAdapter,
  kubectl: Kubectl,
): ReleaseStep {
  const { name } = metadata;
  const patch = (body: object): string =>
    kubectl("patch", "apiservice", name, "--type=merge", "-p", JSON.stringify(body));
  const [group, version] = [spec.group ?? "", spec.version ?? ""];
  return {
    title: `Give ${name} to our adapter`,
    reason: "One write: a request goes to the one or to the other, and both have the metrics.",
    commands: [
      patch(givenTo(adapter)),
      kubectl("wait", "--for=condition=Available", "--timeout=60s", `apiservice/${name}`),
      kubectl("get", "--raw", `/apis/${group}/${version}`),
    ],
    undo: { commands: [patch(takenBack(spec, adapter))], note: "At any time, as long as that adapter runs." },
  };
}

const injectFrom = "cert-manager.io/inject-ca-from";

function givenTo({ service, caBundle, injectsCaFrom }: InstalledAdapter): object {
  const annotations = { annotations: { [injectFrom]: injectsCaFrom } };
  return {
    ...(injectsCaFrom === undefined ? {} : { metadata: annotations }),
    spec: { service, caBundle: caBundle ?? null, insecureSkipTLSVerify: caBundle === undefined },
  };
}

function takenBack(
  { service, caBundle, insecureSkipTLSVerify }: ApiService["spec"],
  { injectsCaFrom }: InstalledAdapter,
): object {
  return {
    ...(injectsCaFrom === undefined ? {} : { metadata: { annotations: { [injectFrom]: null } } }),
    spec: { service, caBundle: caBundle ?? null, insecureSkipTLSVerify: insecureSkipTLSVerify ?? false },
  };
}
