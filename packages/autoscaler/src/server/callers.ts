// Who sent a request: a user, or another process of this deployment on behalf of one whom it checked.
import type { Resource } from "@plimsoll/decisions";
import { type Asked, type Failure, RequestError } from "@plimsoll/decisions/serve";
import { bearerToken } from "@plimsoll/kube/serving";
import type { Request } from "express";
import { type Caller, type Guard, trustedCaller } from "./guard.ts";
import { relayHeader, resourcesHeader } from "./relay/relay.ts";
import type { RelayToken } from "./relay/relay-token.ts";
import { decisionResources, toGet, toList } from "./required-access.ts";

/** A caller, and whether another process checked what it may read. */
export interface KnownCaller extends Caller {
  readonly isRelayed: boolean;
}

export type Callers = ReturnType<typeof createCallers>;

/** `token` undefined: no other process may relay to this listener. */
export function createCallers(guard: Guard, token: Pick<RelayToken, "isOurs"> | undefined) {
  return {
    async of(request: Request): Promise<KnownCaller> {
      if (request.headers[relayHeader] === undefined)
        return { ...(await guard.identify(request)), isRelayed: false };
      const shown = bearerToken(request.headers.authorization);
      if (token !== undefined && shown !== undefined && (await token.isOurs(shown)))
        return { ...trustedCaller, isRelayed: true };
      const message = "only another process of this deployment may relay, with its service account token";
      const failure: Failure = { code: 401, reason: "Unauthorized", message };
      return {
        name: "",
        isRelayed: false,
        check: (required) => Promise.resolve(required.map(() => failure)),
      };
    },
  };
}

/** What an address asks of this process. */
export type AskedHere = Asked | { readonly part: "all" };

/** What a caller may read at an address. */
export interface Access {
  readonly name: string;
  readonly isRelayed: boolean;
  /** Those that the caller may list; undefined: the address has no list of objects. */
  readonly resources: ReadonlySet<Resource> | undefined;
}

/** Of lists the resources that the caller may list, in a namespace or in all. @throws RequestError where that is nothing */
export async function accessTo(asked: AskedHere, request: Request, callers: Callers): Promise<Access> {
  const caller = await callers.of(request);
  const { name, isRelayed } = caller;
  if ("object" in asked || asked.part === "shadow") {
    const required = "object" in asked ? toGet(asked.object) : toList("horizontalpodautoscalers");
    const [failure] = await caller.check([required]);
    if (failure !== undefined) throw new RequestError(failure);
    return { name, isRelayed, resources: undefined };
  }
  const namespace = asked.part === "all" ? undefined : asked.query.namespace;
  const failures = await caller.check(decisionResources.map((resource) => toList(resource, namespace)));
  const named = relayedResources(request, caller);
  const resources = new Set(
    decisionResources.filter(
      (resource, index) => failures[index] === undefined && (named?.has(resource) ?? true),
    ),
  );
  const [first] = failures;
  if (resources.size > 0 || first === undefined) return { name, isRelayed, resources };
  const hint = first.code === 403 && namespace === undefined ? "; use a namespace that you can list" : "";
  throw new RequestError({ ...first, message: `${first.message}${hint}` });
}

function relayedResources({ headers }: Request, { isRelayed }: KnownCaller): ReadonlySet<string> | undefined {
  if (!isRelayed) return undefined;
  const text = headers[resourcesHeader];
  return new Set(typeof text === "string" ? text.split(",") : []);
}
