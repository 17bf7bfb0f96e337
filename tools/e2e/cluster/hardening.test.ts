// What docs/hardening.md says of the chart.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { KubeObject } from "@plimsoll/kube";
import { parseManifests, runToEnd } from "@plimsoll/testbed";
import { fileFolder } from "@plimsoll/testbed/world";
import { beforeAll, expect, inject, test } from "vitest";
import { deploymentsOf } from "./deployments.ts";
import { temporaryApiServer } from "./fixture.ts";
import { chart, root, succeeded } from "./operator.ts";
import type { Manifest, Rule } from "./rights.ts";

const { helm } = inject("deployTools");
const folder = fileFolder();
const page = readFileSync(join(root, "docs/hardening.md"), "utf8");
const [, values = ""] = /^```yaml\n([^]*?)^```$/m.exec(page) ?? [];
const hardened = join(folder, "hardened.yaml");
beforeAll(() => writeFileSync(hardened, values));

async function render(...args: readonly string[]): Promise<string> {
  return succeeded(await runToEnd(helm, ["template", "plimsoll", chart, "-n", "plimsoll", ...args]));
}

const objectsOf = (text: string) => parseManifests(text) as readonly Manifest[];
const resourcesOf = (objects: readonly Manifest[]) =>
  objects.flatMap(({ rules = [] }) => rules.flatMap(({ resources = [] }: Partial<Rule>) => resources));

test("a namespace that enforces the restricted standard takes the hardened pods", async () => {
  const plane = await temporaryApiServer();
  try {
    await plane.kubectl("create", "namespace", "plimsoll");
    const [, command = ""] = /^```sh\nkubectl (.*)\n```$/m.exec(page) ?? [];
    expect(command).toContain("enforce=restricted");
    await plane.kubectl(...command.split(" "));
    const deployments = deploymentsOf(await render("-f", hardened));
    expect(deployments).toHaveLength(2);
    for (const { metadata, spec } of deployments) {
      // Without controllers the namespace has no account.
      const pod = {
        apiVersion: "v1",
        kind: "Pod",
        metadata: { name: metadata.name, labels: spec.template.metadata.labels },
        spec: { ...spec.template.spec, serviceAccountName: "default" },
      };
      const account = { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "default" } };
      await post(plane.client.request, "serviceaccounts", account).catch(() => {});
      await expect(post(plane.client.request, "pods", pod)).resolves.toMatchObject({ kind: "Pod" });
    }
    const root = { runAsUser: 0, runAsNonRoot: false };
    const [first] = deployments;
    const spec = { ...first?.spec.template.spec, serviceAccountName: "default", securityContext: root };
    const refused = { apiVersion: "v1", kind: "Pod", metadata: { name: "as-root" }, spec };
    await expect(post(plane.client.request, "pods", refused)).rejects.toThrow(/restricted/);
  } finally {
    await plane.stop();
  }
});

type Send = (request: {
  readonly method: "POST";
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly body: object;
}) => Promise<unknown>;

function post(send: Send, resource: string, body: object): Promise<unknown> {
  const query: Readonly<Record<string, string>> = resource === "pods" ? { dryRun: "All" } : {};
  return send({ method: "POST", path: `/api/v1/namespaces/plimsoll/${resource}`, query, body });
}

test("by default one Secret is named, hardened none, and no role reads all Secrets", async () => {
  const usual = objectsOf(await render());
  const secrets = usual.flatMap(({ rules = [] }) =>
    // That of /metrics has no resources.
    rules.filter(({ resources = [] }: Partial<Rule>) =>
      resources.some((one) => /^(?:secrets|\*)$/.test(one)),
    ),
  );
  // The others are of metrics APIs, which have no Secrets.
  const own = secrets.filter(({ apiGroups }) => apiGroups.includes("") || apiGroups.includes("*"));
  expect(own.map(({ resourceNames, verbs }) => [resourceNames, verbs])).toEqual([
    [["plimsoll-metrics-adapter-tls"], ["get", "update"]],
  ]);
  expect(resourcesOf(objectsOf(await render("-f", hardened)))).not.toContain("secrets");
  const given = ["adapter.tls.enable=true", "adapter.tls.existingSecret=mine", "adapter.tls.ca=x"];
  const withSecret = await render(...given.flatMap((one) => ["--set", one]));
  expect(resourcesOf(objectsOf(withSecret))).not.toContain("secrets");
});

test("with namespaces, the autoscaler's rights in the whole cluster are reviews, and without decisions none", async () => {
  const bindingsOf = async (...args: readonly string[]) =>
    objectsOf(await render("-f", hardened, ...args))
      .filter(({ subjects }) => JSON.stringify(subjects ?? []).includes('"plimsoll-autoscaler"'))
      .map(({ kind, metadata, roleRef }) => [kind, metadata.namespace, roleRef?.name]);
  const inNamespaces = [
    ["RoleBinding", "shop", "plimsoll-autoscaler"],
    ["RoleBinding", "plimsoll", "plimsoll-autoscaler-leases"],
  ];
  expect(sortedTexts(await bindingsOf())).toEqual(
    sortedTexts([
      ...inNamespaces,
      ["RoleBinding", "kube-system", "extension-apiserver-authentication-reader"],
      ["ClusterRoleBinding", undefined, "plimsoll-autoscaler-reviews"],
    ]),
  );
  const withoutDecisions = await bindingsOf("--set=autoscaler.decisions.enabled=false");
  expect(sortedTexts(withoutDecisions)).toEqual(sortedTexts(inNamespaces));
  const reviews = objectsOf(await render("-f", hardened)).find(
    ({ kind, metadata }) => kind === "ClusterRole" && metadata.name === "plimsoll-autoscaler-reviews",
  );
  expect(reviews?.rules?.map(({ resources, verbs }) => [resources, verbs])).toEqual([
    [["tokenreviews"], ["create"]],
    [["subjectaccessreviews"], ["create"]],
  ]);
});

const sortedTexts = (lists: readonly (readonly unknown[])[]) =>
  lists.map((list) => JSON.stringify(list)).toSorted();

interface Policy extends KubeObject {
  readonly spec: {
    readonly ingress: readonly { readonly from?: unknown; readonly ports: readonly Port[] }[];
    readonly egress: readonly { readonly to?: unknown; readonly ports: readonly Port[] }[];
  };
}

interface Port {
  readonly port: number | string;
}

test("network policies are off, and hardened they are what the table says", async () => {
  const policiesOf = (text: string) =>
    parseManifests(text).filter((object): object is Policy => object.kind === "NetworkPolicy");
  expect(policiesOf(await render())).toEqual([]);
  const ports = policiesOf(await render("-f", hardened)).map(({ metadata, spec: { ingress, egress } }) => ({
    name: metadata.name,
    in: ingress.map((rule) => [rule.from, ...rule.ports.map(({ port }) => port)]),
    out: egress.map((rule) => [rule.to === undefined, ...rule.ports.map(({ port }) => port)]),
  }));
  expect(ports.toSorted((a, b) => (a.name < b.name ? -1 : 1))).toEqual([
    {
      name: "plimsoll-autoscaler",
      in: [[undefined, "metrics", "https"]],
      out: [
        [true, 53, 53],
        [true, 6443],
        [false, 8443],
      ],
    },
    {
      name: "plimsoll-metrics-adapter",
      in: [[undefined, "https"]],
      out: [
        [true, 53, 53],
        [true, 6443],
        [true, 9090],
      ],
    },
  ]);
});

test("what the page calls closed is closed", async () => {
  const usual = parseManifests(await render()).map((object) => JSON.stringify(object));
  expect(usual.filter((text) => text.includes('"insecureSkipTLSVerify":true'))).toEqual([]);
  const accounts = usual.filter((text) => text.includes('"kind":"ServiceAccount","metadata"'));
  expect(accounts).toHaveLength(2);
  expect(accounts.filter((text) => !text.includes('"automountServiceAccountToken":false'))).toEqual([]);
  const args = deploymentsOf(await render()).flatMap(({ spec }) =>
    spec.template.spec.containers.flatMap((container) => container.args),
  );
  expect(args).toContain("--manage-hpas=none");
  expect(args.filter((arg) => arg.startsWith("--console-directory"))).toEqual([]);
  const closed = deploymentsOf(await render("--set", "autoscaler.decisions.enabled=false"));
  const [autoscaler] = closed.filter(({ metadata }) => metadata.name === "plimsoll-autoscaler");
  expect(JSON.stringify(autoscaler)).not.toContain("--secure-port=8443");
  const digest = `sha256:${"0".repeat(64)}`;
  expect(await render("--set", `adapter.image.digest=${digest}`)).toContain(`metrics-adapter@${digest}`);
  const withRules = ["--set", "adapter.metricRules.enabled=true"];
  const aggregatedOf = async (...args: readonly string[]) =>
    objectsOf(await render(...args)).filter(({ metadata }) =>
      Object.keys(metadata.labels ?? {}).some((label) => label.includes("aggregate-to")),
    );
  expect(await aggregatedOf("-f", hardened, ...withRules)).toEqual([]);
  expect(await aggregatedOf(...withRules)).toHaveLength(4);
});
