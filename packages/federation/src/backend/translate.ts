// The two versions of custom metrics, which say the same in two ways: an answer of the one as the other.
import { type Fields, isFields } from "@plimsoll/core/internal/values";
import type { FederatedGroup } from "../config/federation-config.ts";
import type { BackendAnswer } from "./answer.ts";

/**
 * The version in which a backend is asked. Clients ask in the first that our group has, and an autoscaler knows only what is
 * true of the whole group: a backend that serves the other version alone is asked in that one.
 * @param served What is known to be served; empty when that is unknown.
 */
export function versionFor(wanted: string, served: readonly string[]): string {
  const [other] = served;
  return other === undefined || served.includes(wanted) ? wanted : other;
}

/**
 * A list of values in another version; undefined when it cannot be written. Errors are the same in all versions. The answer is known
 * to be a list, of whatever items.
 */
export function inVersion(
  answer: BackendAnswer,
  group: FederatedGroup,
  version: string,
): BackendAnswer | undefined {
  if (answer.code !== 200) return answer;
  const list = JSON.parse(answer.body.toString("utf8")) as { readonly items: readonly unknown[] };
  if (!list.items.every(isFields)) return undefined;
  const convert = version === "v1beta1" ? toFirst : toSecond;
  const translated = { ...list, apiVersion: `${group}/${version}`, items: list.items.map(convert) };
  try {
    return { ...answer, body: Buffer.from(JSON.stringify(translated)) };
  } catch {
    // Parts within parts, thousands deep: they can be read, and not written.
    return undefined;
  }
}

/** The window has two names, too. */
function toSecond({ metricName, selector, window, ...rest }: Fields): object {
  return {
    ...rest,
    metric: { name: metricName, ...(selector == null ? {} : { selector }) },
    ...(window == null ? {} : { windowSeconds: window }),
  };
}

function toFirst({ metric, windowSeconds, ...rest }: Fields): object {
  const { name, selector } = (metric ?? {}) as { readonly name?: unknown; readonly selector?: unknown };
  return {
    ...rest,
    metricName: name,
    ...(windowSeconds == null ? {} : { window: windowSeconds }),
    ...(selector == null ? {} : { selector }),
  };
}
