// Who sent a request: a user, or another process of this deployment on behalf of one whom it checked.
import type { IncomingMessage } from "node:http";
import { bearerToken } from "@plimsoll/kube/serving";
import type { DecisionResource } from "../decisions/logged-decision.ts";
import { type Caller, type Guard, trustedCaller } from "./guard.ts";
import { relayHeader, resourcesHeader } from "./relay/relay.ts";
import type { RelayToken } from "./relay/relay-token.ts";
import { decisionResources, toList } from "./required-access.ts";
import type { Failure } from "./status.ts";

/** A caller, and whether another process checked what it may read. */
export interface KnownCaller extends Caller {
  readonly isRelayed: boolean;
}

export interface Callers {
  of(request: IncomingMessage): Promise<KnownCaller>;
}

/** `token` undefined: no other process may relay to this listener. */
export function createCallers(guard: Guard, token: Pick<RelayToken, "isOurs"> | undefined): Callers {
  return {
    async of(request) {
      if (request.headers[relayHeader] === undefined)
        return { ...(await guard.identify(request)), isRelayed: false };
      const shown = bearerToken(request.headers.authorization);
      if (token !== undefined && shown !== undefined && (await token.isOurs(shown)))
        return { ...trustedCaller, isRelayed: true };
      const message =
        "only another process of this deployment may relay, by the token of its service account";
      const failure: Failure = { code: 401, reason: "Unauthorized", message };
      return {
        name: "",
        isRelayed: false,
        check: (required) => Promise.resolve(required.map(() => failure)),
      };
    },
  };
}

/** The lists that a caller may have. */
export interface Asked {
  readonly name: string;
  readonly isRelayed: boolean;
  readonly resources: ReadonlySet<DecisionResource>;
}

export function isAsked(result: Asked | Failure): result is Asked {
  return "resources" in result;
}

/** The resources that the caller may list, in a namespace or in all; the failure of the first when there is none. */
export async function listable(
  request: IncomingMessage,
  callers: Callers,
  namespace: string | undefined,
): Promise<Asked | Failure> {
  const caller = await callers.of(request);
  const failures = await caller.check(decisionResources.map((resource) => toList(resource, namespace)));
  const named = relayedResources(request, caller);
  const resources = new Set(
    decisionResources.filter(
      (resource, index) => failures[index] === undefined && (named?.has(resource) ?? true),
    ),
  );
  const [first] = failures;
  if (resources.size > 0 || first === undefined)
    return { name: caller.name, isRelayed: caller.isRelayed, resources };
  const hint = first.code === 403 && namespace === undefined ? "; name a namespace that you may list" : "";
  return { ...first, message: `${first.message}${hint}` };
}

function relayedResources(
  { headers }: IncomingMessage,
  { isRelayed }: KnownCaller,
): ReadonlySet<string> | undefined {
  if (!isRelayed) return undefined;
  const text = headers[resourcesHeader];
  return new Set(typeof text === "string" ? text.split(",") : []);
}
