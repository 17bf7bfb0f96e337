import { writeFileSync } from "node:fs";
import { request } from "node:https";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createRestMapper } from "@plimsoll/kube";
import {
  applyManifests,
  type PlimsollProcess,
  parseManifests,
  runToEnd,
  startPlimsoll,
  until,
} from "@plimsoll/testbed";
import { fileFolder } from "@plimsoll/testbed/world";
import { afterAll, beforeAll, expect, test } from "vitest";
import { parse } from "yaml";
import { ownLease, shipped, temporaryApiServer } from "./fixture.ts";
import { createFleet } from "./fleet.ts";

const folder = fileFolder();
const cli = fileURLToPath(new URL("../../../packages/cli/src/main.ts", import.meta.url));
const fleet = createFleet("windowed");
const hpas = fleet.flatMap(({ objects }) => objects).filter(({ kind }) => kind === "HorizontalPodAutoscaler");
const first = hpas[0]?.metadata.name ?? "";

let server: Awaited<ReturnType<typeof temporaryApiServer>>;
let autoscaler: PlimsollProcess;

/** Who may do what with HPAs, and whose token opens what. */
const callers = `
apiVersion: v1
kind: ServiceAccount
metadata: { name: reader, namespace: default }
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: { name: reader, namespace: default }
rules: [{ apiGroups: [autoscaling], resources: [horizontalpodautoscalers], verbs: [get] }]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: { name: reader, namespace: default }
roleRef: { apiGroup: rbac.authorization.k8s.io, kind: Role, name: reader }
subjects: [{ kind: ServiceAccount, name: reader, namespace: default }]
---
apiVersion: v1
kind: ServiceAccount
metadata: { name: viewer, namespace: default }
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: { name: viewer }
rules: [{ apiGroups: [autoscaling], resources: [horizontalpodautoscalers], verbs: [get, list] }]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: { name: viewer }
roleRef: { apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: viewer }
subjects: [{ kind: ServiceAccount, name: viewer, namespace: default }]
---
apiVersion: v1
kind: ServiceAccount
metadata: { name: scraper, namespace: default }
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: { name: scraper }
rules: [{ nonResourceURLs: [/metrics], verbs: [get] }]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: { name: scraper }
roleRef: { apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: scraper }
subjects: [{ kind: ServiceAccount, name: scraper, namespace: default }]
`;

beforeAll(async () => {
  server = await temporaryApiServer();
  const { client } = server;
  const cluster = { client, mapper: createRestMapper({ client }) };
  const namespace = "apiVersion: v1\nkind: Namespace\nmetadata: { name: plimsoll }\n";
  for (const text of [
    namespace,
    shipped("crds/workloadautoscalers.autoscaling.plimsoll.dev.yaml"),
    shipped("kustomize/base/autoscaler-rbac.yaml"),
    callers,
  ]) {
    await applyManifests(cluster, parseManifests(text));
  }
  await applyManifests(cluster, hpas);
  const account = "system:serviceaccount:plimsoll:autoscaler";
  autoscaler = await startPlimsoll("autoscaler", [
    `--kubeconfig=${await server.kubeconfigFor(account, ["system:serviceaccounts:plimsoll"])}`,
    "--horizontal-pod-autoscaler-sync-period=1s",
    ownLease,
    "--port=0",
    "--secure-port=0",
  ]);
});

afterAll(async () => {
  await autoscaler?.stop();
  await server?.stop();
});

function securePort(): number {
  const line = autoscaler.lines.find((text) => text.includes('"serving"')) ?? "{}";
  return (JSON.parse(line) as { securePort?: number }).securePort ?? 0;
}

function ask(path: string, token?: string): Promise<{ readonly code: number; readonly body: string }> {
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  return new Promise((resolve, reject) => {
    const asked = request(
      { host: "127.0.0.1", port: securePort(), path, headers, rejectUnauthorized: false },
      (response) => {
        let body = "";
        response.setEncoding("utf8");
        response.on("data", (part: string) => (body += part));
        response.on("end", () => resolve({ code: response.statusCode ?? 0, body }));
      },
    );
    asked.on("error", reject);
    asked.end();
  });
}

test("a token of the cluster opens what its owner may read, and nothing else", async () => {
  const names = ["reader", "viewer", "scraper"] as const;
  const tokens = await Promise.all(
    names.map(async (name) => (await server.kubectl("create", "token", name, "-n", "default")).trim()),
  );
  const one = `/apis/decisions/v1/namespaces/default/horizontalpodautoscalers/${first}`;
  await until("a decision", async () => ((await ask(one, tokens[1])).code === 200 ? true : undefined));
  const codes = async (path: string) =>
    Promise.all([undefined, "junk", ...tokens].map(async (token) => (await ask(path, token)).code));
  expect(await codes(one)).toEqual([401, 401, 200, 200, 403]);
  expect(await codes("/apis/decisions/v1")).toEqual([401, 401, 403, 200, 403]);
  expect(await codes("/apis/shadow/v1/report")).toEqual([401, 401, 403, 200, 403]);
  expect(await codes("/metrics")).toEqual([401, 401, 403, 403, 200]);
  expect(await codes("/readyz")).toEqual([200, 200, 200, 200, 200]);
  const plain = await fetch(`http://127.0.0.1:${autoscaler.port}/apis/decisions/v1`);
  expect(plain.status).toBe(403);
});

interface Listed {
  readonly items: readonly {
    readonly metadata: { readonly name: string };
    readonly spec: { readonly metrics?: unknown };
  }[];
}

test.each([
  ["autoscaling/v2", "hpa.v2.autoscaling"],
  ["autoscaling/v1", "hpa.v1.autoscaling"],
])(
  "what kubectl prints of HPAs as %s is converted into objects that the API server takes",
  async (_, resource) => {
    const written = join(folder, "hpas.yaml");
    writeFileSync(written, await server.kubectl("get", resource, "-n", "default", "-o", "yaml"));
    const { code, stdout, stderr } = await runToEnd(process.execPath, [
      "--conditions=@plimsoll/source",
      cli,
      "convert",
      "--mode=Shadow",
      written,
    ]);
    // Of an Ingress, which kube-metrics-adapter may have served.
    const others = stderr.replaceAll(
      /^note: .*"requests-per-second" is read by the collector skipper .*\n/gm,
      "",
    );
    expect([code, others]).toEqual([0, ""]);
    const converted = join(folder, "wlas.yaml");
    writeFileSync(converted, stdout);
    await server.kubectl("apply", "--validate=strict", "-f", converted);
    const read = async (kind: string) =>
      parse(await server.kubectl("get", kind, "-n", "default", "-o", "yaml")) as Listed;
    const [before, after] = [await read("hpa"), await read("wla")];
    const metricsOf = ({ items }: Listed) => items.map(({ metadata, spec }) => [metadata.name, spec.metrics]);
    expect(after.items.length).toBe(hpas.length);
    expect(metricsOf(after)).toEqual(metricsOf(before));
    await server.kubectl("delete", "-f", converted);
  },
);
