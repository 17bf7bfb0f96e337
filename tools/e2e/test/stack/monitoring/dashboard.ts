import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";

export interface Dashboard {
  readonly uid: string;
  readonly title: string;
  readonly templating: { readonly list: readonly Variable[] };
  readonly panels: readonly Panel[];
}

export interface Variable {
  readonly name: string;
  readonly type: string;
  readonly query: string | { readonly query: string };
}

export interface Panel {
  readonly id: number;
  readonly type: string;
  readonly title: string;
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
  readonly datasource?: { readonly uid: string };
  readonly targets?: readonly Target[];
}

export interface Target {
  readonly refId: string;
  readonly expr: string;
  readonly legendFormat: string;
  readonly datasource: { readonly uid: string };
}

const folder = fileURLToPath(new URL("../../../../../deploy/dashboards/", import.meta.url));

/** Every dashboard that is shipped, by its file name without the ending. */
export function dashboards(): ReadonlyMap<string, Dashboard> {
  return new Map(
    readdirSync(folder)
      .filter((name) => name.endsWith(".json"))
      .map((name) => [
        basename(name, ".json"),
        JSON.parse(readFileSync(join(folder, name), "utf8")) as Dashboard,
      ]),
  );
}

/** The queries of a dashboard's panels, each with a name for messages. */
export function queries({
  title,
  panels,
}: Dashboard): readonly { readonly at: string; readonly expr: string }[] {
  return panels.flatMap((panel) =>
    (panel.targets ?? []).map(({ refId, expr }) => ({ at: `${title} › ${panel.title} › ${refId}`, expr })),
  );
}

/** A text with its variables replaced; `$x` and `${x}` and `${x:format}`. @throws when one has no value. */
export function expand(text: string, values: Readonly<Record<string, string>>): string {
  return text.replaceAll(/\$(?:\{(\w+)(?::\w+)?\}|(\w+))/g, (whole, braced?: string, plain?: string) => {
    const value = values[braced ?? plain ?? ""];
    if (value === undefined) throw new Error(`${whole} has no value in: ${text}`);
    return value;
  });
}

/** What `label_values(metric{…}, label)` asks of Prometheus. */
export function labelValues(query: string): { readonly match: string; readonly label: string } | undefined {
  const parts = /^label_values\((?<match>.+), (?<label>[\w$]+)\)$/.exec(query)?.groups;
  return parts === undefined ? undefined : { match: parts["match"] ?? "", label: parts["label"] ?? "" };
}
