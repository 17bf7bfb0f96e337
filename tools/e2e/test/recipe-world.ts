// A namespace for each recipe of the book, with all that its metric may describe.
import { globSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { KubeObject } from "@plimsoll/kube";
import { parse, stringify } from "yaml";
import { local } from "./fixture.ts";

/** A recipe from its folder, in its own namespace. */
export interface BookRecipe {
  readonly name: string;
  readonly namespace: string;
  /** What `metrics setup` is asked for: the pods of the exposition have the names of a StatefulSet's. */
  readonly workload: { readonly kind: "StatefulSet" | "Deployment"; readonly name: string };
  readonly exposition: string;
  /** The first of those that it promises. */
  readonly metric: string;
  /** Labels of its target in Prometheus. */
  readonly scrape: Readonly<Record<string, string>>;
  /** The first that can have its series. */
  readonly prometheus: number;
}

interface RecipeFile {
  readonly scrape: Readonly<Record<string, string>>;
  readonly prometheus?: number;
}

const book = local("../../../packages/recipes/book");

const deploymentWeb = { kind: "Deployment", name: "web" } as const;

export const bookRecipes: readonly BookRecipe[] = globSync("*/recipe.yaml", { cwd: book })
  .map((path) => readRecipe(basename(dirname(path))))
  .toSorted((a, b) => (a.name < b.name ? -1 : 1));

function readRecipe(name: string): BookRecipe {
  const namespace = `shop${name.replaceAll("-", "")}`;
  const read = (file: string): string =>
    readFileSync(join(book, name, file), "utf8").replaceAll(/(?<![a-z])shop(?![a-z])/g, namespace);
  const { scrape, prometheus = 2 } = parse(read("recipe.yaml")) as RecipeFile;
  const expected = read("expected.yaml");
  const pod = /\bpod: ([\w-]+)-0\b/.exec(expected)?.[1];
  const [, metric = ""] = /^- get: .+\/([\w-]+)/.exec(expected) ?? [];
  const workload = pod === undefined ? deploymentWeb : ({ kind: "StatefulSet", name: pod } as const);
  const exposition = read("exposition.txt");
  return { name, namespace, workload, exposition, metric, scrape, prometheus };
}

const gatewayApi = "gateway.networking.k8s.io/v1";
const inference = "inference.networking.k8s.io/v1";

/** Kinds that a cluster has from those who define them; their fields are not checked here. */
export const definitions: readonly KubeObject[] = (
  [
    [gatewayApi, "Gateway", "gateways"],
    [gatewayApi, "HTTPRoute", "httproutes"],
    [inference, "InferencePool", "inferencepools"],
  ] as const
).map(([apiVersion, kind, plural]) => {
  const [group = "", version = ""] = apiVersion.split("/");
  const schema = { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } };
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: {
      name: `${plural}.${group}`,
      annotations: { "api-approved.kubernetes.io": "unapproved, in a test" },
    },
    spec: {
      group,
      scope: "Namespaced",
      names: { kind, plural, singular: kind.toLowerCase() },
      versions: [{ name: version, served: true, storage: true, schema }],
    },
  };
});

/** A workload of one replica, and what is in front of it. */
export function objectsOf({ namespace, workload }: Pick<BookRecipe, "namespace" | "workload">) {
  const labels = { app: workload.name };
  const object = (apiVersion: string, kind: string, name: string, spec: object): KubeObject =>
    ({ apiVersion, kind, metadata: { name, namespace }, spec }) as KubeObject;
  const template = { metadata: { labels }, spec: { containers: [{ name: "app", image: "app" }] } };
  return [
    { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } },
    object("apps/v1", workload.kind, workload.name, {
      replicas: 1,
      selector: { matchLabels: labels },
      template,
      ...(workload.kind === "StatefulSet"
        ? { serviceName: workload.name, podManagementPolicy: "Parallel" }
        : {}),
    }),
    object("v1", "Service", "web", { selector: labels, ports: [{ port: 80 }] }),
    object("networking.k8s.io/v1", "Ingress", "web", {
      ingressClassName: "class",
      defaultBackend: { service: { name: "web", port: { number: 80 } } },
    }),
    object(gatewayApi, "Gateway", "edge", { gatewayClassName: "class" }),
    object(gatewayApi, "HTTPRoute", "web", {
      parentRefs: [{ name: "edge" }],
      rules: [{ backendRefs: [{ name: "web", port: 80 }] }],
    }),
    object(inference, "InferencePool", "llama", { selector: { matchLabels: labels } }),
  ] satisfies readonly KubeObject[];
}

/** Items of Prometheus' scrape_configs, each with the recipe as its job. */
export function scrapeConfigs(
  jobs: readonly { readonly recipe: BookRecipe; readonly address: string; readonly path: string }[],
): string {
  return stringify(
    jobs.map(({ recipe, address, path }) => ({
      job_name: recipe.name,
      metrics_path: path,
      static_configs: [{ targets: [address], labels: recipe.scrape }],
    })),
  );
}
