import { globSync, mkdirSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import type { KubeObject } from "@plimsoll/kube";
import {
  generatedFiles,
  parseManifests,
  prometheusProgram,
  readOperatorCrds,
  readText,
  runToEnd,
  unknownFiles,
  writeJsonSchemas,
} from "@plimsoll/testbed";
import { fileFolder } from "@plimsoll/testbed/world";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { stringify } from "yaml";
import { deploymentsOf } from "./deployments.ts";
import { temporaryApiServer } from "./fixture.ts";
import { chart, root, succeeded } from "./operator.ts";

const { helm, kubeconform, kustomize } = inject("deployTools");
const folder = fileFolder();
const values = globSync("ci/*-values.yaml", { cwd: chart }).sort();
const overlays = globSync("deploy/kustomize/overlays/*", { cwd: root }).sort();
const renderings = new Map<string, Promise<string>>([
  ...values.map(
    (file) => [basename(file), render(basename(file).replace("-values.yaml", ""), file)] as const,
  ),
  ...overlays.map((path) => [path, build(path)] as const),
]);

let plane: Awaited<ReturnType<typeof temporaryApiServer>>;
let schemas: string;

beforeAll(async () => {
  plane = await temporaryApiServer();
  // ServiceMonitor, PrometheusRule, Certificate and Issuer, by the definitions of those who bring them.
  const definitions = join(folder, "operators.yaml");
  writeFileSync(definitions, (await readOperatorCrds()).join("\n---\n"));
  // They are too large for the annotation of a client-side apply.
  await plane.kubectl("apply", "--server-side", "-f", definitions);
  await plane.kubectl("wait", "--for=condition=Established", "crd", "--all", "--timeout=30s");
  schemas = await writeJsonSchemas(plane.client, join(folder, "schemas"));
  for (const name of ["plimsoll", "shop"]) await plane.kubectl("create", "namespace", name);
});

afterAll(async () => {
  await plane?.stop();
});

test("what is generated is what its sources say", () => {
  const files = generatedFiles();
  expect([...files].filter(([path, text]) => readText(path) !== text).map(([path]) => path)).toEqual([]);
  expect(unknownFiles(files.keys())).toEqual([]);
});

test("there is something to look at", () => {
  expect([values.length, overlays.length]).toEqual([5, 3]);
});

test.each([...renderings.keys()])("%s has no field that its kind does not know", async (name) => {
  const file = await written(name);
  const { code, stdout, stderr } = await runToEnd(kubeconform, [
    "-strict",
    "-summary",
    `-schema-location=${schemas}`,
    "-skip=CustomResourceDefinition",
    file,
  ]);
  expect(`${stdout}${stderr}`).toMatch(/Invalid: 0, Errors: 0/);
  expect(code).toBe(0);
});

test("and a wrong field would be found", async () => {
  const file = join(folder, "wrong.yaml");
  const wrong = (await rendering("default-values.yaml")).replaceAll(
    "terminationGracePeriodSeconds",
    "terminationGrace",
  );
  writeFileSync(file, wrong);
  const { stdout } = await runToEnd(kubeconform, [
    "-strict",
    `-schema-location=${schemas}`,
    "-skip=CustomResourceDefinition",
    file,
  ]);
  expect(stdout).toMatch(/terminationGrace/);
});

test.each([...renderings.keys()])(
  "%s is taken by a real API server",
  async (name) => {
    const objects = parseManifests(await rendering(name));
    const file = join(folder, `${basename(name)}.json`);
    writeFileSync(file, JSON.stringify({ apiVersion: "v1", kind: "List", items: objects }));
    const printed = await plane.kubectl("apply", "--server-side", "--force-conflicts", "-f", file);
    expect(printed.trim().split("\n")).toHaveLength(objects.length);
  },
  60_000,
);

test.each(["default-values.yaml", "everything-values.yaml", ...overlays.slice(0, 1)])(
  "the pods of %s are restricted ones",
  async (name) => {
    // Without controllers no namespace has one.
    const account = ["-n", "shop", "create", "serviceaccount", "default"];
    await plane.kubectl(...account).catch(() => {});
    const enforce = "pod-security.kubernetes.io/enforce=restricted";
    await plane.kubectl("label", "--overwrite", "namespace", "shop", enforce);
    const refused: string[] = [];
    for (const { metadata, spec } of deploymentsOf(await rendering(name))) {
      const pod = {
        apiVersion: "v1",
        kind: "Pod",
        metadata: { name: metadata.name, labels: spec.template.metadata.labels },
        // There are neither accounts nor classes for it in this namespace.
        spec: { ...spec.template.spec, serviceAccountName: undefined, priorityClassName: undefined },
      };
      await plane.client
        .request({
          method: "POST",
          path: "/api/v1/namespaces/shop/pods",
          query: { dryRun: "All" },
          body: pod,
        })
        .catch((error: unknown) => refused.push(String(error)));
    }
    // The network of the node is nothing that a restricted namespace lets a pod have.
    expect(refused.filter((message) => !/hostNetwork=true|hostPort/.test(message))).toEqual([]);
    expect(refused).toHaveLength(name.startsWith("everything") ? 1 : 0);
  },
);

test("objects of other operators are among what is checked", async () => {
  const kinds = new Set<string | undefined>();
  for (const name of renderings.keys())
    for (const { kind } of parseManifests(await rendering(name))) kinds.add(kind);
  for (const kind of ["ServiceMonitor", "PrometheusRule", "Certificate", "Issuer"])
    expect(kinds).toContain(kind);
});

test("every flag of every manifest is one of the program's", async () => {
  for (const program of ["metrics-adapter", "autoscaler"]) {
    const page = readFileSync(join(root, `docs/flags-${program}.md`), "utf8");
    const args: string[] = [];
    for (const name of renderings.keys())
      for (const { spec } of deploymentsOf(await rendering(name)))
        args.push(
          ...spec.template.spec.containers.flatMap((container) =>
            container.name === program ? container.args : [],
          ),
        );
    expect(args.length).toBeGreaterThan(10);
    const isKnown = (name = "") => page.includes(`| \`--${name} `) || page.includes(`| \`--${name}\``);
    expect(args.filter((arg) => !isKnown(/^--([a-z-]+)=/.exec(arg)?.[1]))).toEqual([]);
  }
});

test("the adapter may write the CA of each APIService that is registered, and does", async () => {
  const overlay = join(folder, "external");
  mkdirSync(overlay);
  const at = (path: string) => relative(realpathSync(overlay), join(root, "deploy/kustomize", path));
  const overlaid = {
    apiVersion: "kustomize.config.k8s.io/v1beta1",
    kind: "Kustomization",
    resources: [at("base")],
    components: [at("components/external-metrics")],
  };
  writeFileSync(join(overlay, "kustomization.yaml"), stringify(overlaid));
  const built = succeeded(await runToEnd(kustomize, ["build", overlay]));
  const objects = parseManifests(built) as readonly (KubeObject & {
    readonly rules?: readonly { readonly resourceNames?: readonly string[] }[];
  })[];
  const registered = objects.filter(({ kind }) => kind === "APIService").map(({ metadata }) => metadata.name);
  expect(registered).toContain("v1beta1.external.metrics.k8s.io");
  const role = objects.find(({ metadata }) => metadata.name === "plimsoll-metrics-adapter-ca-bundle");
  expect(role?.rules?.[0]?.resourceNames?.toSorted()).toEqual(registered.toSorted());
  const [adapter] = deploymentsOf(built).filter(({ metadata }) => metadata.name === "metrics-adapter");
  const [flag] = (adapter?.spec.template.spec.containers ?? [])
    .flatMap(({ args }) => args)
    .filter((arg) => arg.startsWith("--publish-ca-bundle-to="));
  expect(flag?.replace(/^.*=/, "").split(",").toSorted()).toEqual(registered.toSorted());
});

test("no role has a wildcard among its verbs, none is the cluster's administrator", async () => {
  for (const name of renderings.keys()) {
    const objects = parseManifests(await rendering(name)) as readonly (KubeObject & {
      readonly rules?: readonly { readonly verbs: readonly string[] }[];
      readonly roleRef?: { readonly name: string };
    })[];
    for (const { rules = [], roleRef } of objects) {
      for (const { verbs } of rules) expect(verbs).not.toContain("*");
      expect(roleRef?.name).not.toBe("cluster-admin");
    }
  }
});

test("two renderings are the same, so that nothing changes where nothing was changed", async () => {
  const again = await render("everything", "ci/everything-values.yaml");
  expect(again).toBe(await rendering("everything-values.yaml"));
});

test("alert rules come through whole, but for those that are disabled", async () => {
  const ruleOf = async (name: string) => {
    const objects = parseManifests(await rendering(name)) as readonly (KubeObject & {
      readonly spec?: {
        readonly groups?: readonly { readonly rules: readonly { readonly alert?: string }[] }[];
      };
    })[];
    const { spec } = objects.find(({ kind }) => kind === "PrometheusRule") ?? {};
    const file = join(folder, "rules.yaml");
    writeFileSync(file, stringify(spec));
    const promtool = join(dirname(prometheusProgram()), "promtool");
    expect(await runToEnd(promtool, ["check", "rules", file])).toMatchObject({ code: 0 });
    return (spec?.groups ?? []).flatMap(({ rules }) => rules.map(({ alert }) => alert));
  };
  const all = await ruleOf("deploy/kustomize/overlays/production");
  expect(all).toContain("PlimsollAdapterDown");
  const some = await ruleOf("everything-values.yaml");
  expect(some).toEqual(all.filter((alert) => alert !== "PlimsollAdapterDown"));
});

test("the dashboards are whole, and have the sidecar's label", async () => {
  for (const name of ["everything-values.yaml", "deploy/kustomize/overlays/production"]) {
    const maps = (
      parseManifests(await rendering(name)) as readonly (KubeObject & {
        readonly data?: Readonly<Record<string, string>>;
      })[]
    ).filter(({ metadata }) => metadata.labels?.["grafana_dashboard"] === "1");
    const found = maps.flatMap(({ data }) => Object.entries(data ?? {}));
    expect(found.map(([file]) => file).sort()).toEqual(
      globSync("*.json", { cwd: join(root, "deploy/dashboards") }).sort(),
    );
    for (const [file, text] of found)
      expect(JSON.parse(text)).toEqual(
        JSON.parse(readFileSync(join(root, "deploy/dashboards", file), "utf8")),
      );
  }
});

async function rendering(name: string): Promise<string> {
  const found = renderings.get(name);
  if (found === undefined) throw new RangeError(name);
  return found;
}

async function written(name: string): Promise<string> {
  const file = join(folder, `${basename(name)}.yaml`);
  writeFileSync(file, await rendering(name));
  return file;
}

async function render(release: string, file: string): Promise<string> {
  const args = ["template", release, chart, "-n", "plimsoll", "-f", join(chart, file)];
  return succeeded(await runToEnd(helm, args));
}

async function build(path: string): Promise<string> {
  return succeeded(await runToEnd(kustomize, ["build", join(root, path)]));
}
