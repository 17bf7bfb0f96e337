// Files of deploy/ that are generated from others.
import { globSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { isMap, isScalar, type Pair, parse, parseAllDocuments, parseDocument, stringify, visit } from "yaml";

const deploy = fileURLToPath(new URL("../../../../deploy/", import.meta.url));
const chart = "chart/plimsoll";

const monitoring = "kustomize/components/monitoring";
const generatedFolders = [`${chart}/files`, `${monitoring}/dashboards`];

/** What has its source elsewhere in deploy/, by path within deploy/. */
export function generatedFiles(): ReadonlyMap<string, string> {
  return new Map([
    ...copies("crds/*.yaml", `${chart}/files/crds`),
    ...copies("alerts/*.yaml", `${chart}/files/alerts`),
    ...copies("dashboards/*.json", `${chart}/files/dashboards`),
    [`${chart}/files/rules/default.yaml`, readText("kustomize/base/rules.yaml") ?? ""],
    [`${chart}/templates/_roles.tpl`, roleTemplates()],
    [`${chart}/README.md`, readme()],
    ...copies("dashboards/*.json", `${monitoring}/dashboards`),
    [`${monitoring}/prometheusrule.yaml`, prometheusRule()],
    ["kustomize/base/workloadautoscalers.crd.yaml", crd("workloadautoscalers")],
    ["kustomize/components/metric-rules/metricrules.crd.yaml", crd("metricrules")],
    ["kustomize/components/shadow/clusterrole.yaml", shadowRole()],
  ]);
}

/** Copies whose source is gone. */
export function unknownFiles(known: Iterable<string>): readonly string[] {
  const names = new Set(known);
  return globSync(
    generatedFolders.map((folder) => `${folder}/**/*.*`),
    { cwd: deploy },
  ).filter((path) => !names.has(path));
}

export function readText(path: string): string | undefined {
  try {
    return readFileSync(join(deploy, path), "utf8");
  } catch {
    return undefined;
  }
}

function copies(pattern: string, folder: string): readonly (readonly [string, string])[] {
  return globSync(pattern, { cwd: deploy })
    .sort()
    .map((path) => [`${folder}/${basename(path)}`, readText(path) ?? ""] as const);
}

interface Role {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly rules?: readonly { readonly resources?: readonly string[]; readonly verbs: readonly string[] }[];
}

function rolesOf(pattern: string): readonly Role[] {
  const objects = globSync(pattern, { cwd: deploy })
    .sort()
    .flatMap((path) => parseAllDocuments(readText(path) ?? "").map((document) => document.toJS() as Role));
  return objects.filter(({ rules }) => rules !== undefined);
}

/** The rules of every role of deploy/kustomize, as templates named after the role. */
function roleTemplates(): string {
  const templates = rolesOf("kustomize/**/*rbac.yaml").map(
    ({ kind, metadata, rules }) =>
      `{{- define "plimsoll.rules.${kind}.${metadata.name}" -}}\n${stringify(rules)}{{- end }}\n`,
  );
  return `{{/* ${notice("deploy/kustomize")} */}}\n${templates.join("\n")}`;
}

const changesCounts = ["horizontalpodautoscalers/status", "*/scale"];

/** What the autoscaler may, without what changes a count or a native HPA. */
function shadowRole(): string {
  const found = rolesOf("kustomize/base/autoscaler-rbac.yaml").find(({ kind }) => kind === "ClusterRole");
  if (found === undefined) throw new Error("autoscaler-rbac.yaml has no ClusterRole");
  const rules = (found.rules ?? []).flatMap((rule) => {
    const isWrite = rule.resources?.some((resource) => changesCounts.includes(resource)) === true;
    const verbs = isWrite ? rule.verbs.filter((verb) => verb !== "update" && verb !== "patch") : rule.verbs;
    return verbs.length === 0 ? [] : [{ ...rule, verbs }];
  });
  return `# ${notice("base/autoscaler-rbac.yaml")}\n${stringify({ ...found, rules }, flow)}`;
}

function prometheusRule(): string {
  const groups = globSync("alerts/*.yaml", { cwd: deploy })
    .sort()
    .flatMap((path) => (parse(readText(path) ?? "") as { readonly groups: readonly unknown[] }).groups);
  const object = {
    apiVersion: "monitoring.coreos.com/v1",
    kind: "PrometheusRule",
    metadata: { name: "plimsoll", namespace: "plimsoll" },
    spec: { groups },
  };
  return `# ${notice("deploy/alerts")}\n${stringify(object, flow)}`;
}

function crd(plural: string): string {
  const [path = ""] = globSync(`crds/${plural}.*.yaml`, { cwd: deploy });
  return readText(path) ?? "";
}

const flow = { lineWidth: 0 } as const;

function notice(source: string): string {
  return `Generated from ${source} by npm run generate; do not edit.`;
}

function readme(): string {
  const { version, kubeVersion } = parse(readText(`${chart}/Chart.yaml`) ?? "") as {
    readonly version: string;
    readonly kubeVersion: string;
  };
  return `<!-- Generated from values.yaml by npm run generate; do not edit. -->

# The chart plimsoll ${version}

For Kubernetes ${kubeVersion.replace(/-0$/, "")}. How to install, upgrade and come from prometheus-adapter:
[install.md](../../../docs/install.md), [upgrade.md](../../../docs/upgrade.md).

## Values

${valuesTable(readText(`${chart}/values.yaml`) ?? "")}`;
}

/**
 * A Markdown table of what can be set, from a values file whose entries have a comment that begins with "--" above
 * them. @throws when an entry has none
 */
function valuesTable(text: string): string {
  const document = parseDocument(text);
  const rows: string[] = [];
  const undescribed: string[] = [];
  visit(document, {
    Pair(_, pair, ancestors) {
      const path = [...ancestors.filter(isPair), pair].map(({ key }) => keyText(key)).join(".");
      const description = descriptionOf(pair, ancestors.at(-1));
      if (description !== undefined) {
        rows.push(`| \`${path}\` | ${defaultOf(pair)} | ${description.replaceAll("|", "\\|")} |`);
        return visit.SKIP;
      }
      if (!isMap(pair.value) || pair.value.items.length === 0) undescribed.push(path);
      return undefined;
    },
  });
  if (undescribed.length > 0) throw new Error(`values without a description: ${undescribed.join(", ")}`);
  return ["| value | default | |", "| --- | --- | --- |", ...rows, ""].join("\n");

  function defaultOf(pair: Pair): string {
    const value = isAliasOf(pair.value) ?? pair.value;
    const plain = JSON.stringify(document.createNode(value).toJS(document));
    return `\`${plain}\``;
  }

  function isAliasOf(value: unknown): unknown {
    if (typeof value !== "object" || value === null || !("source" in value)) return undefined;
    return isScalar(value) ? undefined : (value as { resolve?(doc: unknown): unknown }).resolve?.(document);
  }
}

/** The comment directly above; for the first entry of a map the parser gives it to the map. */
function descriptionOf(pair: Pair, parent: unknown): string | undefined {
  const own = isScalar(pair.key) ? pair.key.commentBefore : undefined;
  const isFirst = isMap(parent) && parent.items[0] === pair;
  const comment = own ?? (isFirst ? parent.commentBefore : undefined);
  const [, text] = /(?:^|\n) --([^]*)$/.exec(comment ?? "") ?? [];
  return text?.trim().replaceAll(/\s*\n\s*/g, " ");
}

function isPair(value: unknown): value is Pair {
  return typeof value === "object" && value !== null && "key" in value && "value" in value;
}

function keyText(key: unknown): string {
  return isScalar(key) ? String(key.value) : String(key);
}
