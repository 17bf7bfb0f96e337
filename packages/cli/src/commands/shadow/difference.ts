// The last difference of one object, beside what both controllers say of themselves.
import { instantMs } from "@plimsoll/core";
import type { ShadowItem } from "@plimsoll/decisions";
import { ApiError } from "@plimsoll/kube";
import { explainedOf, justAfter } from "../../decisions/endpoint-source.ts";
import type { WithDecision } from "../../decisions/source.ts";
import type { Endpoint } from "../../endpoint/endpoint.ts";
import type { ScalingObject } from "../../objects/scaling-object.ts";
import { wrap } from "../../output/width.ts";
import { statusText } from "../explain/status-text.ts";
import { explanationText } from "../explain/text.ts";
import type { TableOptions } from "./table.ts";

export async function differenceText(
  object: ScalingObject,
  { lastDifference: last }: ShadowItem,
  options: TableOptions & { readonly endpoint: Endpoint },
): Promise<string> {
  const { style, hasHeadings, nowMs, endpoint } = options;
  const prose = (text: string): string => wrap(style.text(text), style.columns, "  ").join("\n");
  const heading = (text: string): string => style.paint("strong", prose(text));
  const ours = await oursAt(object, last?.at, endpoint);
  const difference =
    last === undefined
      ? "It never differed for two periods."
      : `Last difference at ${last.at}: ${last.step}, ours ${last.ours}, theirs ${last.theirs}.`;
  const isThen = last !== undefined && ours !== undefined && ours.isThen;
  const parts = [
    `${prose(difference)}\n`,
    ours === undefined
      ? `${prose("Plimsoll's decision was not recorded.")}\n`
      : `${heading(isThen ? "Ours, at that time:" : "Ours, now:")}\n${explanationText(ours.explained, {
          style,
          hasHeadings,
          detail: "steps",
          nowMs,
        })}`,
    `${heading("The built-in controller's status, now:")}\n${statusText(
      {
        source: "status",
        at: new Date(nowMs).toISOString(),
        object: object.identity,
        served: object.object,
        assumptions: [],
        notes: [],
      },
      { style, hasHeadings, nowMs },
    )}`,
  ];
  return parts.join("\n");
}

/** The decision that differed, else the newest. */
async function oursAt(
  { identity }: ScalingObject,
  at: string | undefined,
  endpoint: Endpoint,
): Promise<{ readonly explained: WithDecision; readonly isThen: boolean } | undefined> {
  const atMs = at === undefined ? undefined : instantMs(at);
  if (atMs !== undefined) {
    const then = await decisionAt(identity, { limit: 1, before: justAfter(atMs) }, endpoint);
    if (then?.at === at && then !== undefined) return { explained: then, isThen: true };
  }
  const now = await decisionAt(identity, { limit: 1 }, endpoint);
  return now === undefined ? undefined : { explained: now, isThen: false };
}

async function decisionAt(
  identity: ScalingObject["identity"],
  query: Parameters<Endpoint["decisions"]>[1],
  endpoint: Endpoint,
): Promise<WithDecision | undefined> {
  try {
    const logged = (await endpoint.decisions(identity, query)).at(-1);
    return logged === undefined ? undefined : explainedOf(identity, logged);
  } catch (error) {
    if (error instanceof ApiError && (error.code === 404 || error.code === 410 || error.code === 403))
      return undefined;
    throw error;
  }
}
