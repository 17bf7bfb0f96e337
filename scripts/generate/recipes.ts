// Makes the recipe book out of its folders, and its table in the docs.
import { globSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { parse } from "yaml";
import { root } from "../source/files.ts";
import { filled } from "./page.ts";

const fields = new Set(
  (
    "title kind provenance from objects match retired scrape renamed selector window target prometheus isAmbiguous " +
    "notes rules externalRules"
  ).split(" "),
);

interface RecipeFile {
  readonly title: string;
  readonly kind: string;
  readonly provenance: string;
  readonly from: string;
  readonly objects: readonly string[];
  readonly match: {
    readonly series: string;
    /** A regular expression; the name in series where absent. */
    readonly names?: string;
    readonly ingressControllers?: readonly string[];
    readonly gatewayControllers?: readonly string[];
  };
  readonly retired?: { readonly since: string; readonly instead: string };
  readonly renamed?: Readonly<Record<string, string>>;
  readonly selector?: readonly string[];
  readonly window: string;
  readonly target: { readonly type: string; readonly value: string | number };
  readonly prometheus?: number;
  readonly isAmbiguous?: boolean;
  readonly notes: readonly string[];
}

/** packages/recipes/src/book.json, and the table of docs/metrics-setup.md. @throws for a field that no recipe has */
export function recipeBook(): Readonly<Record<string, string>> {
  const folders = globSync("packages/recipes/book/*/recipe.yaml", { cwd: root }).sort();
  const book = folders.map((path) =>
    entryOf(basename(dirname(path)), readFileSync(join(root, path), "utf8")),
  );
  return {
    "packages/recipes/src/book.json": `${JSON.stringify(book, undefined, 2)}\n`,
    ...filled("docs/metrics-setup.md", { recipes: table(book) }),
  };
}

const kinds: Readonly<Record<string, string>> = {
  pods: "pods",
  services: "Service",
  external: "external",
  "deployments.apps": "Deployment",
  "ingresses.networking.k8s.io": "Ingress",
  "httproutes.gateway.networking.k8s.io": "HTTPRoute",
  "gateways.gateway.networking.k8s.io": "Gateway",
  "inferencepools.inference.networking.k8s.io": "InferencePool",
};

function table(book: readonly Entry[]): string {
  const rows = book.map(({ name, title, objects, window, provenance }) => {
    const described = objects.map((resource) => kinds[resource] ?? resource).join(", ");
    return `| [${title}](../packages/recipes/book/${name}/recipe.yaml) | ${described} | ${window} | ${provenance} |`;
  });
  return ["| source | metrics of | range | capture |", "| --- | --- | --- | --- |", ...rows].join("\n");
}

interface Entry extends Pick<RecipeFile, "title" | "objects" | "window" | "provenance"> {
  readonly name: string;
}

function entryOf(name: string, text: string): Entry {
  const recipe = parse(text) as RecipeFile;
  const unknown = Object.keys(recipe).find((field) => !fields.has(field));
  if (unknown !== undefined)
    throw new Error(`packages/recipes/book/${name}/recipe.yaml: unknown field ${unknown}`);
  // A note with a colon is a mapping in YAML, unless it is quoted.
  const odd = recipe.notes.find((note) => typeof note !== "string");
  if (odd !== undefined)
    throw new Error(`packages/recipes/book/${name}/recipe.yaml: quote the note ${JSON.stringify(odd)}`);
  const { title, kind, provenance, from, objects, match, retired, window, target, notes } = recipe;
  const end = retired && `${title} has been retired since ${retired.since}. Move to ${retired.instead}.`;
  const entry = {
    name,
    title,
    kind,
    provenance,
    from,
    objects,
    series: match.series,
    names: match.names ?? nameIn(match.series),
    ...(retired === undefined ? {} : { retired }),
    ingressControllers: match.ingressControllers ?? [],
    gatewayControllers: match.gatewayControllers ?? [],
    renamed: recipe.renamed ?? {},
    selector: recipe.selector ?? [],
    window,
    target: { type: target.type, value: String(target.value) },
    prometheus: recipe.prometheus ?? 2,
    isAmbiguous: recipe.isAmbiguous ?? false,
    rules: text.slice(text.search(/^(?:externalR|r)ules:$/m)),
    notes: end === undefined ? notes : [end, ...notes],
  };
  return entry;
}

/** The name, or the pattern of names, that a selector has. */
function nameIn(series: string): string {
  const [, pattern, name] = /^\{__name__=~"([^"]+)"|^([\w:]+)/.exec(series) ?? [];
  const names = pattern ?? name;
  if (names === undefined) throw new Error(`match.series ${series} has no name: set match.names`);
  return names;
}
