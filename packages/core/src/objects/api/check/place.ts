// Finds where a field belongs that is written at the wrong place, or with a wrong name.
import { fieldsOf, isFields } from "../../../values/fields.ts";
import { nearest } from "../../../values/nearest.ts";
import { versions } from "../convert/convert.ts";
import { nestedPlace } from "../convert/flat.ts";
import type { Shape } from "../convert/schema.ts";

/** An object, or what should be one, with the shape that it has to have. */
export interface Level {
  readonly path: string;
  readonly shape: Fieldset;
  readonly value: unknown;
}

export type Fieldset = { readonly [field: string]: Shape };

/** What to do about a field that its object does not have. */
export interface Advice {
  readonly remedy: string;
  /** The path that was probably meant. */
  readonly meant?: string;
}

/** @param levels from the whole object down to the one that has the field. */
export function adviceFor(key: string, levels: readonly [Level, ...Level[]], version: string): Advice {
  const here = levels.at(-1) ?? levels[0];
  const other = otherVersion(here, key, version);
  const meant =
    fieldOfName(here.shape, key, here.path) ??
    nested(here, key) ??
    (other === undefined ? moved(key, levels) : undefined);
  if (meant !== undefined) return { remedy: `did you mean ${meant}?`, meant };
  return { remedy: other ?? `remove it, or use one of ${Object.keys(here.shape).join(", ")}` };
}

export function pathOf(path: string, key: string): string {
  return path === "" ? key : `${path}.${key}`;
}

/** The API reads names with regard to their case. */
function fieldOfName(shape: Fieldset, key: string, path: string): string | undefined {
  const found = Object.keys(shape).find((name) => name.toLowerCase() === key.toLowerCase());
  return found === undefined ? undefined : pathOf(path, found);
}

/** Names of the beta versions, which autoscaling/v2 nests. */
function nested({ path, shape }: Level, key: string): string | undefined {
  const [, source = ""] = /^spec\.metrics\[\d+\]\.(\w+)$/.exec(path) ?? [];
  const place = nestedPlace(source, key);
  const [first = ""] = place?.split(".") ?? [];
  return place !== undefined && Object.hasOwn(shape, first) ? pathOf(path, place) : undefined;
}

/** Below the object, below those around it, or under a name that differs little. */
function moved(key: string, levels: readonly Level[]): string | undefined {
  const here = levels.at(-1);
  for (const level of levels.toReversed()) {
    const found = below(level, key, here?.path ?? "");
    if (found !== undefined) return found;
  }
  const [near] = here === undefined ? [] : nearest(key, Object.keys(here.shape), 1);
  return near === undefined || here === undefined ? undefined : pathOf(here.path, near);
}

/** The nearest one first; of those equally near, one in an object that is there. */
function below(top: Level, key: string, here: string): string | undefined {
  let level: readonly Level[] = [top];
  while (level.length > 0) {
    const inner = level
      .flatMap((one) => innerLevels(one, here))
      .toSorted((a, b) => Number(isFields(b.value)) - Number(isFields(a.value)));
    for (const { path, shape } of inner) {
      const found = fieldOfName(shape, key, path);
      // What it is in already is not meant.
      if (found !== undefined && found !== here && !here.startsWith(`${found}.`)) return found;
    }
    level = inner;
  }
  return undefined;
}

/** Nobody writes a status; of a list, the entry that has the field stands for all, or the first. */
function innerLevels({ path, shape, value }: Level, here: string): readonly Level[] {
  return Object.entries(shape).flatMap(([name, inner]) => {
    if (path === "" && name === "status") return [];
    const place = pathOf(path, name);
    const found = isFields(value) ? value[name] : undefined;
    if (!Array.isArray(inner)) return isFieldset(inner) ? [{ path: place, shape: inner, value: found }] : [];
    const [item] = inner as readonly Shape[];
    const [, index = "0"] = here.startsWith(`${place}[`)
      ? (/^(\d+)\]/.exec(here.slice(place.length + 1)) ?? [])
      : [];
    const entry = Array.isArray(found) ? (found as readonly unknown[])[Number(index)] : undefined;
    if (item === undefined || !isFieldset(item)) return [];
    return [{ path: `${place}[${index}]`, shape: item, value: entry }];
  });
}

export function isFieldset(shape: Shape): shape is Fieldset {
  return typeof shape === "object" && !Array.isArray(shape);
}

const newest = "autoscaling/v2";
const percentage = /^target(CPU|Memory)UtilizationPercentage$/i;

/** What a newer version has, or autoscaling/v1 alone. */
function otherVersion({ path, value }: Level, key: string, version: string): string | undefined {
  const [, resource] = percentage.exec(key) ?? [];
  if (resource !== undefined && path === "spec") {
    const target = `{ type: Utilization, averageUtilization: ${String(fieldsOf(value)[key])} }`;
    const metric = `{ type: Resource, resource: { name: ${resource.toLowerCase()}, target: ${target} } }`;
    return `write metrics: [${metric}]${version === newest ? "" : ` with apiVersion: ${newest}`}`;
  }
  const shape = versions.get(newest)?.shape ?? {};
  return version !== newest && hasPath(shape, pathOf(path, key))
    ? `use apiVersion: ${newest}, which has it`
    : undefined;
}

function hasPath(shape: Shape, path: string): boolean {
  let at: Shape | undefined = shape;
  for (const name of path.replaceAll(/\[\d+\]/g, ".0").split(".")) {
    if (at === undefined || typeof at !== "object") return false;
    at = name === "0" ? (at as readonly Shape[])[0] : (at as Fieldset)[name];
  }
  return at !== undefined;
}
