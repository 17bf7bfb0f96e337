import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createScenario } from "@plimsoll/demo";
import { connect, type KubeClient, reviewToken } from "@plimsoll/kube";
import { kubeconfigText } from "@plimsoll/sandbox";
import {
  applyManifests,
  deployment,
  type PlimsollProcess,
  parseManifests,
  startPlimsoll,
  until,
} from "@plimsoll/testbed";
import { fileFolder } from "@plimsoll/testbed/world";
import { afterAll, beforeAll, expect, test } from "vitest";
import { parse } from "yaml";
import { ablationsOf, consequences, pathOf } from "./adapter-ablation.ts";
import { example, gaugeRules, type TemporaryCluster, temporaryCluster } from "./fixture.ts";
import { type Manifest, mayUse, type Right, requestToken } from "./rights.ts";

const account = "metrics-adapter";
const text = deployment("metrics-adapter-rbac.yaml");
const manifests = parseManifests(text) as readonly Manifest[];

const callers = `
apiVersion: v1
kind: ServiceAccount
metadata: { name: caller, namespace: default }
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: { name: e2e-reads-metrics }
rules:
  - { apiGroups: [custom.metrics.k8s.io, external.metrics.k8s.io], resources: ["*"], verbs: [get, list] }
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: { name: e2e-reads-metrics }
roleRef: { apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: e2e-reads-metrics }
subjects:
  - { kind: ServiceAccount, name: caller, namespace: default }
  - { kind: User, name: clerk, apiGroup: rbac.authorization.k8s.io }
`;

const custom = "/apis/custom.metrics.k8s.io/v1beta2/namespaces/default";
const paths = {
  pods: `${custom}/pods/*/packets-per-second?labelSelector=app%3Drouter`,
  ingress: `${custom}/ingresses.networking.k8s.io/main-route/requests-per-second`,
  external: "/apis/external.metrics.k8s.io/v1beta1/namespaces/default/queue_depth",
  usageOfPods: "/apis/metrics.k8s.io/v1beta1/namespaces/default/pods",
  usageOfNodes: "/apis/metrics.k8s.io/v1beta1/nodes",
};

const folder = fileFolder();
let cluster: TemporaryCluster;

beforeAll(async () => {
  cluster = await temporaryCluster({
    loads: createScenario("fast").streams.map(({ load }) => ({ ...load, points: load.points.slice(0, 1) })),
    workloads: example("workloads.yaml"),
  });
  await cluster.stack.apply(callers);
});

afterAll(async () => {
  await cluster?.stop();
});

test("with the manifest, every metrics API is served through kube-apiserver", async () => {
  for (const path of Object.values(paths)) {
    const there = until(`items at ${path}`, () => itemsAt(cluster.stack.client, path));
    await expect(there).resolves.toBe(true);
  }
});

test("with the manifest, every probe succeeds", async () => {
  await withAdapter(await tokenOf("plimsoll", "metrics-adapter"), async (adapter) => {
    await until(
      "no probe to fail",
      async () => {
        const failures = await failing(adapter);
        return failures.size === 0 ? true : Promise.reject(new Error(JSON.stringify([...failures])));
      },
      { everyMs: 200 },
    );
    await expect(adapter.outsider.request({ path: paths.external })).rejects.toMatchObject({ code: 403 });
  });
});

const ablations = manifests.flatMap(ablationsOf);

test("every part of the manifest, rules by resource and verb, has a consequence", () => {
  expect(ablations.map(({ name }) => name).sort()).toEqual(Object.keys(consequences).sort());
  expect(Object.values(consequences).filter((probes) => probes.length === 0)).toEqual([]);
});

test.each(ablations.map((ablation) => [ablation.name, ablation] as const))(
  "without %s something fails",
  async (name, { of, instead, lost }) => {
    const { stack } = cluster;
    const token = await tokenOf("plimsoll", "metrics-adapter");
    try {
      if (instead === undefined) await remove(of);
      else await applyManifests(stack, [instead]);
      const right = await lost?.(stack.client);
      await until("the right to be gone", async () =>
        right === undefined
          ? !(await reviewToken(stack.client, token)).authenticated || undefined
          : !(await isAllowed(right)) || undefined,
      );
      await withAdapter(token, async (adapter) => {
        const expected = [...(consequences[name] ?? [])].sort();
        expect(await failingAtLast(adapter, expected)).toEqual(expected);
      });
    } finally {
      await stack.apply(text);
    }
    const right = await lost?.(stack.client);
    if (right === undefined) return;
    await until("the right to be back", async () => (await isAllowed(right)) || undefined);
  },
);

/** The names of the probes that fail once they are the expected ones, or at last. */
async function failingAtLast(
  adapter: RunningAdapter,
  expected: readonly string[],
): Promise<readonly string[]> {
  let failures: readonly string[] = [];
  const asExpected = async () => {
    failures = [...(await failing(adapter)).keys()].sort();
    return JSON.stringify(failures) === JSON.stringify(expected) || undefined;
  };
  await until("the expected failures", asExpected, { everyMs: 200 }).catch(() => {});
  return failures;
}

async function remove({ kind = "", metadata }: Manifest): Promise<void> {
  const path = pathOf(kind, metadata.namespace, metadata.name);
  await cluster.stack.client.request({ method: "DELETE", path });
}

function isAllowed(right: Right): Promise<boolean> {
  return mayUse(cluster.stack.client, account, right);
}

function tokenOf(namespace: string, name: string): Promise<string> {
  return requestToken(cluster.stack.client, namespace, name);
}

interface RunningAdapter {
  readonly process: PlimsollProcess;
  /** Clients that ask the adapter itself: an unknown user, an administrator, two who may read and one who may not. */
  readonly unknown: KubeClient;
  readonly admin: KubeClient;
  readonly withToken: KubeClient;
  readonly clerk: KubeClient;
  readonly outsider: KubeClient;
}

let serial = 0;

/** An adapter beside that of the cluster, with the token of its service account. */
async function withAdapter(token: string, use: (adapter: RunningAdapter) => Promise<void>): Promise<void> {
  const { stack } = cluster;
  serial += 1;
  const certDir = join(folder, `certificates-${serial}`);
  const own = kubeconfig("adapter", stack.address.url, stack.address.caPem, { token });
  const process = await startPlimsoll("metrics-adapter", [
    `--config=${gaugeRules}`,
    `--prometheus-url=${stack.prometheus.url}`,
    `--lister-kubeconfig=${own}`,
    `--authentication-kubeconfig=${own}`,
    `--authorization-kubeconfig=${own}`,
    "--bind-address=127.0.0.1",
    "--secure-port=0",
    `--cert-dir=${certDir}`,
    "--metrics-relist-interval=1s",
    "--metrics-max-age=10s",
  ]);
  const url = `https://localhost:${process.port}`;
  const caPem = readFileSync(join(certDir, "ca.crt"), "utf8");
  const clients: KubeClient[] = [];
  const as = async (name: string, user: object): Promise<KubeClient> => {
    const client = await connect({
      kubeconfig: kubeconfig(name, url, caPem, user),
      userAgent: "plimsoll-e2e",
    });
    clients.push(client);
    return client;
  };
  const certificate = async (user: string) => userOf(await stack.kubeconfigForUser(user, []));
  try {
    await use({
      process,
      unknown: await as("unknown", {}),
      admin: await as("admin", userOf(stack.kubeconfig)),
      withToken: await as("with-token", { token: await tokenOf("default", "caller") }),
      clerk: await as("clerk", await certificate("clerk")),
      outsider: await as("outsider", await certificate("outsider")),
    });
  } finally {
    await Promise.allSettled(clients.map((client) => client.close()));
    await process.stop();
  }
}

function kubeconfig(name: string, server: string, caPem: string, user: object): string {
  const file = join(folder, `${name}-${serial}.kubeconfig`);
  writeFileSync(file, kubeconfigText({ server, caPem, user }), { mode: 0o600 });
  return file;
}

function userOf(file: string): object {
  const { users } = parse(readFileSync(file, "utf8")) as { users: readonly { user: object }[] };
  return users[0]?.user ?? {};
}

async function itemsAt(client: KubeClient, path: string): Promise<true | undefined> {
  const { items } = await client.request<{ items: readonly unknown[] }>({ path, timeoutMs: 10_000 });
  return items.length > 0 ? true : undefined;
}

/** The probes that fail, and how. */
async function failing(adapter: RunningAdapter): Promise<Map<string, string>> {
  const { unknown, admin, withToken, clerk } = adapter;
  const items = (client: KubeClient, path: string) => async () => {
    if ((await itemsAt(client, path)) === undefined) throw new Error("no items");
  };
  const follows = (resource: string) => async () => {
    const trouble = adapter.process.lines.find(
      (line) => line.includes("watching a resource failed") && line.includes(`"resource":"${resource}"`),
    );
    if (trouble !== undefined) throw new Error(trouble);
  };
  const probes: Readonly<Record<string, () => Promise<void>>> = {
    readyz: async () => {
      for await (const _ of await unknown.stream({ path: "/readyz", timeoutMs: 10_000 }));
    },
    "pods of a custom metric": items(admin, paths.pods),
    "an Ingress of a custom metric": items(admin, paths.ingress),
    "external metric": items(admin, paths.external),
    "usage of pods": items(admin, paths.usageOfPods),
    "usage of nodes": items(admin, paths.usageOfNodes),
    "follows pods": follows("pods"),
    "follows nodes": follows("nodes"),
    "a caller with a token": items(withToken, paths.external),
    "a caller with a certificate": items(clerk, paths.external),
  };
  const failures = new Map<string, string>();
  await Promise.all(
    Object.entries(probes).map(([name, probe]) =>
      probe().catch((error: unknown) => {
        failures.set(name, error instanceof Error ? error.message : String(error));
      }),
    ),
  );
  return failures;
}
