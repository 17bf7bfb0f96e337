// The two versions of custom metrics, which say the same in two ways: an answer of the one as the other.
import type { FederatedGroup } from "../config/federation-config.ts";
import type { BackendAnswer } from "./answer.ts";

/**
 * The version in which a backend is asked. Clients ask in the first that our group has, and an autoscaler knows only what is
 * true of the whole group: a backend that serves the other version alone is asked in that one.
 * @param served What is known to be served; empty when that is not known.
 */
export function versionFor(wanted: string, served: readonly string[]): string {
  const [other] = served;
  return other === undefined || served.includes(wanted) ? wanted : other;
}

interface ValueList {
  readonly items: readonly Readonly<Record<string, unknown>>[];
}

/** A list of values in another version. Errors are the same in all versions. The answer is known to be a list. */
export function inVersion(answer: BackendAnswer, group: FederatedGroup, version: string): BackendAnswer {
  if (answer.code !== 200) return answer;
  const list = JSON.parse(answer.body.toString("utf8")) as ValueList;
  const convert = version === "v1beta1" ? toFirst : toSecond;
  const translated = { ...list, apiVersion: `${group}/${version}`, items: list.items.map(convert) };
  return { ...answer, body: Buffer.from(JSON.stringify(translated)) };
}

function toSecond({ metricName, selector, ...rest }: ValueList["items"][number]): object {
  return { ...rest, metric: { name: metricName, ...(selector == null ? {} : { selector }) } };
}

function toFirst({ metric, ...rest }: ValueList["items"][number]): object {
  const { name, selector } = (metric ?? {}) as { readonly name?: unknown; readonly selector?: unknown };
  return { ...rest, metricName: name, ...(selector == null ? {} : { selector }) };
}
