import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parse, parseAllDocuments, stringify } from "yaml";
import { valuesTable } from "./values-table.ts";

const deploy = fileURLToPath(new URL("../../../../deploy/", import.meta.url));
const chart = "chart/plimsoll";

/** What the chart carries that has its source elsewhere in deploy/, by path within deploy/. */
export function generatedFiles(): ReadonlyMap<string, string> {
  return new Map([
    ...copies("crds/*.yaml", `${chart}/files/crds`),
    ...copies("alerts/*.yaml", `${chart}/files/alerts`),
    ...copies("dashboards/*.json", `${chart}/files/dashboards`),
    [`${chart}/templates/_roles.tpl`, roleTemplates()],
    [`${chart}/README.md`, readme()],
  ]);
}

/** Copies whose source is gone. */
export function unknownFiles(known: Iterable<string>): readonly string[] {
  const names = new Set(known);
  return globSync(`${chart}/files/*/*`, { cwd: deploy }).filter((path) => !names.has(path));
}

export function readText(path: string): string | undefined {
  try {
    return readFileSync(join(deploy, path), "utf8");
  } catch {
    return undefined;
  }
}

/** Undefined removes the file. */
export function writeText(path: string, text: string | undefined): void {
  const file = join(deploy, path);
  if (text === undefined) {
    rmSync(file);
    return;
  }
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

function copies(pattern: string, folder: string): readonly (readonly [string, string])[] {
  return globSync(pattern, { cwd: deploy })
    .sort()
    .map((path) => [`${folder}/${basename(path)}`, readText(path) ?? ""] as const);
}

/** The rules of every role of deploy/kustomize, as templates named after the role. */
function roleTemplates(): string {
  const files = globSync("kustomize/**/*rbac.yaml", { cwd: deploy }).sort();
  const objects = files.flatMap((path) =>
    parseAllDocuments(readText(path) ?? "").map(
      (document) =>
        document.toJS() as {
          readonly kind: string;
          readonly metadata: { readonly name: string };
          readonly rules?: readonly unknown[];
        },
    ),
  );
  const templates = objects.flatMap(({ kind, metadata, rules }) =>
    rules === undefined
      ? []
      : [`{{- define "plimsoll.rules.${kind}.${metadata.name}" -}}\n${stringify(rules)}{{- end }}\n`],
  );
  return `{{/* Generated from deploy/kustomize by scripts/generate-deploy.ts; do not edit. */}}\n${templates.join("\n")}`;
}

function readme(): string {
  const { version, kubeVersion } = parse(readText(`${chart}/Chart.yaml`) ?? "") as {
    readonly version: string;
    readonly kubeVersion: string;
  };
  return `<!-- Generated from values.yaml by scripts/generate-deploy.ts; do not edit. -->

# The chart plimsoll ${version}

For Kubernetes ${kubeVersion.replace(/-0$/, "")}. How to install, upgrade and come from prometheus-adapter:
[install.md](../../../docs/install.md), [upgrade.md](../../../docs/upgrade.md).

## Values

${valuesTable(readText(`${chart}/values.yaml`) ?? "")}`;
}
