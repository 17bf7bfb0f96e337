// Reads the `live` block of a query, which takes the values from the pods themselves instead of from Prometheus.
import { type Fields, isFields } from "../../values/fields.ts";
import { type LabelSelector, selectorProblem } from "../../values/selector/label-selector.ts";
import { field, invalid, type Problem, required } from "../api/validate/problem.ts";

/** How pods are scraped for a query; the fields are those of the object, with their defaults. */
export interface LiveSource {
  /** Of a declared port of a container: its number, or its name. */
  readonly port: number | string;
  readonly path: string;
  /** Whole seconds, such as "1s". */
  readonly interval: string;
  readonly scheme: "http" | "https";
  /** Absent: the pods of the scale target. */
  readonly podSelector?: LabelSelector | undefined;
}

const knownFields = ["port", "path", "interval", "scheme", "podSelector"];
const intervalPattern = /^([1-9]|[1-5][0-9]|60)s$/;

/** Of an interval that passed the check. */
export function liveIntervalMs({ interval }: Pick<LiveSource, "interval">): number {
  return Number(interval.slice(0, -1)) * 1000;
}

/**
 * Reads a field `live`, whatever it holds.
 *
 * @returns with problems, a source that must not be used
 */
export function readLive(
  path: string,
  live: unknown,
): { readonly source: LiveSource; readonly problems: readonly Problem[] } {
  const fields: Fields = isFields(live) ? live : {};
  const source = {
    port: field(fields, "port"),
    path: field(fields, "path") ?? "/metrics",
    interval: field(fields, "interval") ?? "1s",
    scheme: field(fields, "scheme") ?? "http",
    ...(field(fields, "podSelector") === undefined ? {} : { podSelector: field(fields, "podSelector") }),
  };
  const problems = isFields(live)
    ? problemsOf(path, fields, source)
    : [invalid(path, live, "is not an object: give the port, such as {port: metrics}")];
  return { source: source as LiveSource, problems };
}

function problemsOf(path: string, live: Fields, source: Fields): readonly Problem[] {
  const unknown = Object.keys(live).filter((name) => !knownFields.includes(name));
  const bad = (name: string, remedy: string): Problem =>
    invalid(`${path}.${name}`, shown(source[name]), `cannot be used: ${remedy}`);
  const { port, interval, scheme } = source;
  return [
    ...unknown
      .slice(0, 5)
      .map((name) =>
        invalid(`${path}.${name.slice(0, 63)}`, undefined, `is unknown: live has ${knownFields.join(", ")}`),
      ),
    ...(port === undefined
      ? [required(`${path}.port`, "is missing: give the name or the number of a declared container port")]
      : isPort(port)
        ? []
        : [
            typeof port === "string" && /^\d+$/.test(port)
              ? bad("port", "write a number without quotes")
              : bad("port", "give the name or the number of a declared container port"),
          ]),
    ...(isPath(source["path"]) ? [] : [bad("path", "it begins with / and has no spaces, such as /metrics")]),
    ...(typeof interval === "string" && intervalPattern.test(interval)
      ? []
      : [bad("interval", "give whole seconds from 1s to 60s")]),
    ...(scheme === "http" || scheme === "https" ? [] : [bad("scheme", "use http or https")]),
    ...selectorProblems(`${path}.podSelector`, source["podSelector"]),
  ];
}

function isPort(port: unknown): boolean {
  if (typeof port === "number") return Number.isInteger(port) && port >= 1 && port <= 65_535;
  return (
    typeof port === "string" &&
    /^(?=.*[a-z])[a-z0-9](?:[-a-z0-9]{0,13}[a-z0-9])?$/.test(port) &&
    !port.includes("--")
  );
}

function isPath(path: unknown): boolean {
  return typeof path === "string" && path.length <= 512 && /^\/[!"$-~]*$/.test(path);
}

/** What the API server of a Deployment would refuse, too. */
function selectorProblems(path: string, selector: unknown): readonly Problem[] {
  if (selector === undefined) return [];
  const { matchLabels = {}, matchExpressions = [] } = isFields(selector) ? selector : { matchLabels: "" };
  if (!isFields(selector) || !isFields(matchLabels) || !Array.isArray(matchExpressions))
    return [invalid(path, shown(selector), "is not a label selector: use matchLabels or matchExpressions")];
  const problem = selectorProblem(selector);
  return problem === undefined ? [] : [invalid(path, shown(selector), problem)];
}

/** At most 60 characters of a value. */
function shown(value: unknown): string {
  const text = typeof value === "string" ? value : (JSON.stringify(value) ?? "");
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}
