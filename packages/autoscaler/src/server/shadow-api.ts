// The comparison with the built-in controller, as JSON and as a report.
import type { Express, NextFunction, Request, Response } from "express";
import { mergedSummary, type ShadowSummary } from "../shadow/agreement.ts";
import { shadowReport } from "../shadow/report.ts";
import type { Callers } from "./callers.ts";
import { documentOf, type Relay, type RelayedRequest, unavailable } from "./relay/relay.ts";
import { toList } from "./required-access.ts";
import { type Failure, sendStatus } from "./status.ts";

export interface ShadowApi {
  readonly shadow: () => ShadowSummary;
  readonly callers: Callers;
  readonly relay: Relay;
}

const path = "/apis/shadow/v1";
/** Below the group that kube-apiserver may offer. */
const groupPath = "/apis/explain.plimsoll.dev/v1/shadow";

export function addShadow(app: Express, api: ShadowApi): void {
  const handle =
    (send: (response: Response, summary: ShadowSummary) => void) =>
    (request: Request, response: Response, fail: NextFunction): void => {
      sendShadow(request, response, api, send).catch(fail);
    };
  app.get(
    [path, groupPath],
    handle((response, summary) => void response.json(summary)),
  );
  app.get(
    `${path}/report`,
    handle((response, summary) => void response.type("text/plain").send(shadowReport(summary))),
  );
}

async function sendShadow(
  request: Request,
  response: Response,
  { shadow, callers, relay }: ShadowApi,
  send: (response: Response, summary: ShadowSummary) => void,
): Promise<void> {
  const caller = await callers.of(request);
  const [failure] = await caller.check([toList("horizontalpodautoscalers")]);
  if (failure !== undefined) return sendStatus(response, failure);
  const route = relay.route(caller.isRelayed);
  const passed = { request, response, resources: undefined };
  switch (route.to) {
    case "self":
      return send(response, shadow());
    case "none":
      return sendStatus(response, route.failure);
    case "one":
      return relay.pipe(route.peer, passed);
    case "all": {
      const others = await summaries(relay, route.peers, passed);
      if ("code" in others) sendStatus(response, others);
      else send(response, mergedSummary([shadow(), ...others]));
    }
  }
}

/** Of each process its JSON, also where the report was requested. */
async function summaries(
  relay: Relay,
  peers: Parameters<Relay["open"]>[0],
  passed: RelayedRequest,
): Promise<readonly ShadowSummary[] | Failure> {
  const responses = await relay.open(peers, { ...passed, path });
  if ("code" in responses) return responses;
  try {
    return (await Promise.all(responses.map(documentOf))) as readonly ShadowSummary[];
  } catch (error) {
    for (const { message } of responses) message.destroy();
    return unavailable(error instanceof Error ? error.message : String(error));
  }
}
