// The rights by which the adapter keeps its certificate and publishes its CA, without each of their parts.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createRestMapper, type KubeClient, type RestMapper } from "@plimsoll/kube";
import { kubeconfigText } from "@plimsoll/sandbox";
import {
  applyManifests,
  type Child,
  type ControlPlane,
  deployment,
  parseManifests,
  plimsollCommand,
  startChild,
  until,
} from "@plimsoll/testbed";
import { fileFolder } from "@plimsoll/testbed/world";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ablationsOf, pathOf } from "./adapter-ablation.ts";
import { gaugeRules, temporaryApiServer } from "./fixture.ts";
import { type Manifest, mayUse, requestToken } from "./rights.ts";

const manifests = parseManifests(deployment("metrics-adapter-certificate-rbac.yaml")) as readonly Manifest[];
const secretPath = "/api/v1/namespaces/plimsoll/secrets/metrics-adapter-tls";
const apiService = "v1beta1.custom.metrics.k8s.io";
const apiServicePath = `/apis/apiregistration.k8s.io/v1/apiservices/${apiService}`;

const [keeps, publishes, follows] = [
  "keeps its certificate",
  "publishes its CA",
  "follows its APIService",
] as const;
const ofRole = "Role plimsoll-metrics-adapter-certificate";
const ofClusterRole = "ClusterRole plimsoll-metrics-adapter-ca-bundle";

/** What stops working without each part; without any of them the adapter must not be granted it. */
const consequences: Readonly<Record<string, readonly string[]>> = {
  [`${ofRole}: get secrets`]: [keeps, publishes],
  [`${ofRole}: update secrets`]: [keeps, publishes],
  "RoleBinding plimsoll-metrics-adapter-certificate": [keeps, publishes],
  [`${ofClusterRole}: list apiservices`]: [publishes, follows],
  // A watch that is refused is followed by a list, and that by the next watch.
  [`${ofClusterRole}: watch apiservices`]: [follows],
  [`${ofClusterRole}: patch apiservices`]: [publishes],
  "ClusterRoleBinding plimsoll-metrics-adapter-ca-bundle": [publishes, follows],
};

const folder = fileFolder();
let plane: ControlPlane;
let cluster: { readonly client: KubeClient; readonly mapper: RestMapper };
let serial = 0;

beforeAll(async () => {
  plane = await temporaryApiServer();
  cluster = { client: plane.client, mapper: createRestMapper({ client: plane.client }) };
  await apply("apiVersion: v1\nkind: Namespace\nmetadata: { name: plimsoll }\n");
  await apply(deployment("metrics-adapter-rbac.yaml"));
  await applyManifests(cluster, manifests);
  await apply(
    "apiVersion: v1\nkind: Secret\nmetadata: { name: metrics-adapter-tls, namespace: plimsoll }\ntype: Opaque\n",
  );
  const [first] = deployment("apiservices.yaml").split("---\n");
  await apply(first ?? "");
});

afterAll(async () => {
  await plane?.stop();
});

const ablations = manifests.flatMap(ablationsOf);

test("every part of the manifest, rules by resource and verb, has a consequence", () => {
  expect(ablations.map(({ name }) => name).toSorted()).toEqual(Object.keys(consequences).toSorted());
  expect(Object.values(consequences).filter((probes) => probes.length === 0)).toEqual([]);
});

test("with the manifest, every probe succeeds", async () => {
  expect(await failing([])).toEqual({ isRefused: false, failures: [] });
});

test.each(ablations.map((ablation) => [ablation.name, ablation] as const))(
  "without %s something fails",
  async (name, { of, instead, lost }) => {
    const right = await lost?.(plane.client);
    if (right === undefined) throw new Error(`${name} takes no right away`);
    const has = (wanted: boolean) => async () =>
      (await mayUse(plane.client, "metrics-adapter", right)) === wanted || undefined;
    if (instead === undefined) {
      const path = pathOf(of.kind ?? "", of.metadata.namespace, of.metadata.name);
      await plane.client.request({ method: "DELETE", path });
    } else await applyManifests(cluster, [instead]);
    try {
      await until("the right to be gone", has(false));
      const failures = consequences[name] ?? [];
      expect(await failing(failures)).toEqual({ isRefused: true, failures });
    } finally {
      await applyManifests(cluster, manifests);
    }
    await until("the right to be back", has(true));
  },
);

/** The probes that fail of an adapter which starts on a Secret and an APIService as they are installed. */
async function failing(
  expected: readonly string[],
): Promise<{ readonly isRefused: boolean; readonly failures: readonly string[] }> {
  await merge(secretPath, { data: null });
  await merge(apiServicePath, { spec: { caBundle: null } });
  const adapter = await startAdapter();
  const probes: Readonly<Record<string, () => Promise<boolean>>> = {
    [keeps]: async () => {
      const { data } = await plane.client.request<{ data?: Readonly<Record<string, string>> }>({
        path: secretPath,
      });
      return data?.["tls.crt"] !== undefined;
    },
    [publishes]: async () => {
      const { spec } = await plane.client.request<{ spec: { caBundle?: string } }>({ path: apiServicePath });
      return spec.caBundle !== undefined;
    },
    [follows]: async () => !adapter.lines.some((line) => line.includes("cannot watch an APIService")),
  };
  try {
    const isRefused = () => adapter.lines.some((line) => line.includes("is forbidden"));
    if (expected.length > 0) await until("a refusal", () => isRefused() || undefined);
    const failures: string[] = [];
    for (const [name, probe] of Object.entries(probes)) {
      if (!expected.includes(name)) await until(name, async () => (await probe()) || undefined);
      else if (!(await probe())) failures.push(name);
    }
    return { isRefused: isRefused(), failures };
  } finally {
    await adapter.stop();
  }
}

async function startAdapter(): Promise<Child> {
  serial += 1;
  const kubeconfig = join(folder, `adapter-${serial}.kubeconfig`);
  const { url: server, caPem } = plane.address;
  const token = await requestToken(plane.client, "plimsoll", "metrics-adapter");
  writeFileSync(kubeconfig, kubeconfigText({ server, caPem, user: { token } }), { mode: 0o600 });
  const { command, args } = plimsollCommand("metrics-adapter");
  const flags = [
    `--config=${gaugeRules}`,
    // There is no Prometheus: what is tried comes before the first query.
    "--prometheus-url=http://127.0.0.1:1",
    `--lister-kubeconfig=${kubeconfig}`,
    `--authentication-kubeconfig=${kubeconfig}`,
    `--authorization-kubeconfig=${kubeconfig}`,
    "--bind-address=127.0.0.1",
    "--secure-port=0",
    "--cert-dir=",
    "--self-signed-cert-hosts=metrics-adapter.plimsoll.svc",
    "--self-signed-cert-secret=plimsoll/metrics-adapter-tls",
    `--publish-ca-bundle-to=${apiService}`,
  ];
  // One that may not keep its certificate never serves.
  return startChild({ name: "metrics-adapter", command, args: [...args, ...flags], ready: () => true });
}

async function apply(text: string): Promise<void> {
  await applyManifests(cluster, parseManifests(text));
}

async function merge(path: string, body: object): Promise<void> {
  await plane.client.request({
    method: "PATCH",
    path,
    contentType: "application/merge-patch+json",
    body,
  });
}
