// docs/managed-clusters.md: its commands on the sandbox, but for those of clouds, and the chart with its values.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { loadSources } from "@plimsoll/rules";
import { createSandbox } from "@plimsoll/sandbox";
import { findDeployTools, runToEnd } from "@plimsoll/testbed";
import { fileFolder } from "@plimsoll/testbed/world";
import { expect, onTestFinished, test } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { local } from "../fixture.ts";

const text = readFileSync(local("../../../docs/managed-clusters.md"), "utf8");
const blocks = (language: string) =>
  [...text.matchAll(new RegExp(`^\`\`\`${language}\n([^]*?)^\`\`\`$`, "gm"))].map(([, block = ""]) => block);

const folder = fileFolder();

test("the commands of kubectl say who owns the metrics APIs, and why an adapter cannot be reached", async () => {
  const sandbox = createSandbox();
  const { kubeconfig } = await sandbox.start();
  onTestFinished(() => sandbox.stop());
  const config = join(folder, "kubeconfig");
  writeFileSync(config, kubeconfig, { mode: 0o600 });
  const shell = async (script: string): Promise<string> => {
    const { code, stdout, stderr } = await runToEnd("sh", ["-ec", script], {
      ...process.env,
      KUBECONFIG: config,
      KUBECACHEDIR: join(folder, "kube-cache"),
    });
    expect([script, code, stderr]).toEqual([script, 0, ""]);
    return stdout;
  };
  // Its adapter does not run.
  await shell(`kubectl apply -f ${local("../../../examples/tutorial-prometheus-adapter/cluster.yaml")}`);
  const name = "v1beta1.custom.metrics.k8s.io";
  // Before the first check it is Unknown, and has no message.
  await shell(`kubectl wait --for=condition=Available=False --timeout=60s apiservice/${name}`);
  const commands = blocks("sh").filter((block) => !/^(?:gcloud|aws|az) /m.test(block));
  const printed: string[] = [];
  for (const block of commands) printed.push(await shell(block));
  expect(printed).toEqual([
    expect.stringMatching(/^v1beta1\.custom\.metrics\.k8s\.io +monitoring\/prometheus-adapter +False/),
    expect.stringMatching(/:6445/),
  ]);
});

interface Rendered {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly annotations?: Readonly<Record<string, string>> };
  readonly data?: Readonly<Record<string, string>>;
  readonly spec?: unknown;
}

async function render(values: string): Promise<readonly Rendered[]> {
  const { helm } = await findDeployTools(() => undefined);
  const file = join(folder, "values.yaml");
  writeFileSync(file, values);
  const chart = local("../../../deploy/chart/plimsoll");
  const { code, stdout, stderr } = await runToEnd(helm, ["template", "plimsoll", chart, "-f", file]);
  expect([code, stderr]).toEqual([0, ""]);
  return parseAllDocuments(stdout).flatMap((one) => {
    const object = one.toJS() as Rendered | null;
    return object === null ? [] : [object];
  });
}

const adapterOf = (objects: readonly Rendered[], kind: string) =>
  objects.find((one) => one.kind === kind && one.metadata.name === "plimsoll-metrics-adapter");

test("the adapter is on the node's network where pods cannot be reached", async () => {
  const [hostNetwork = ""] = blocks("yaml");
  expect(adapterOf(await render(hostNetwork), "Deployment")).toMatchObject({
    spec: { template: { spec: { hostNetwork: true, dnsPolicy: "ClusterFirstWithHostNet" } } },
  });
});

const [, ...ofServers] = blocks("yaml");

test.each(ofServers.map((values) => [/auth: \{ type: (\w+)/.exec(values)?.[1], values]))(
  "the values for %s give the adapter its source and its identity",
  async (type, values) => {
    const objects = await render(values ?? "");
    const sources = objects.find(({ metadata }) => metadata.name === "plimsoll-metrics-adapter-sources");
    expect(loadSources(sources?.data?.["sources.yaml"] ?? "")).toMatchObject({
      ok: true,
      warnings: [],
      config: { sources: [{ name: "default", auth: { type } }] },
    });
    expect(adapterOf(objects, "Deployment")).toMatchObject({
      spec: {
        template: {
          spec: {
            containers: [
              {
                image: expect.stringMatching(/-cloud$/),
                args: expect.arrayContaining(["--sources-config=/etc/plimsoll/sources/sources.yaml"]),
              },
            ],
          },
        },
      },
    });
    const given = parse(values ?? "") as { adapter: { serviceAccount: { annotations: object } } };
    expect(adapterOf(objects, "ServiceAccount")?.metadata.annotations).toMatchObject(
      given.adapter.serviceAccount.annotations,
    );
  },
);

test("there are values for three clouds", () => {
  expect(ofServers.map((values) => /auth: \{ type: (\w+)/.exec(values)?.[1])).toEqual([
    "sigv4",
    "google",
    "azure",
  ]);
});
