import { withAuthenticatedGroup } from "@plimsoll/kube/serving";
import type { Authentication } from "./authenticate.ts";
import type { AuthenticationConfig } from "./authentication-config.ts";
import { isIdentityHeader } from "./identity-headers.ts";
import { readRequestHeaders } from "./request-header.ts";

const maxNames = 1024;
const maxIdentities = 1024;
const maxKeyLength = 4096;

/**
 * Who a front proxy speaks for. It says the same of the same few callers again and again, so what a set of
 * identity headers means is remembered for as long as the configuration stands; the same user is then also the
 * same object.
 */
export function createHeaderIdentities(): (
  rawHeaders: readonly string[],
  config: AuthenticationConfig,
) => Authentication {
  const carriesIdentity = new Map<string, boolean>();
  const identities = new Map<string, Authentication>();
  let current: AuthenticationConfig | undefined;

  const isRelevant = (name: string, config: AuthenticationConfig): boolean => {
    const known = carriesIdentity.get(name);
    if (known !== undefined) {
      return known;
    }
    const relevant = isIdentityHeader(config, name.toLowerCase());
    bound(carriesIdentity, maxNames);
    carriesIdentity.set(name, relevant);
    return relevant;
  };

  return (rawHeaders, config) => {
    if (config !== current) {
      carriesIdentity.clear();
      identities.clear();
      current = config;
    }
    // Neither a header's name nor its value can hold a line feed, so the key says exactly what was sent.
    let key = "";
    for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
      const name = rawHeaders[index] ?? "";
      if (isRelevant(name, config)) {
        key += `${name}\n${rawHeaders[index + 1] ?? ""}\n`;
      }
    }
    const known = identities.get(key);
    if (known !== undefined) {
      return known;
    }
    const identity = read(rawHeaders, config);
    if (key.length <= maxKeyLength) {
      bound(identities, maxIdentities);
      identities.set(key, identity);
    }
    return identity;
  };
}

function read(rawHeaders: readonly string[], config: AuthenticationConfig): Authentication {
  if (config.requestHeader === undefined) {
    return { type: "anonymous" };
  }
  const identity = readRequestHeaders(rawHeaders, config.requestHeader);
  switch (identity.type) {
    case "user":
      return { type: "user", user: withAuthenticatedGroup(identity.user), method: "front-proxy" };
    case "ambiguous":
      return { type: "refused", reason: `header ${identity.header} was sent more than once` };
    case "absent":
      return { type: "anonymous" };
  }
}

/** Makes room for one more: the oldest goes. */
function bound(entries: Map<string, unknown>, most: number): void {
  if (entries.size < most) {
    return;
  }
  for (const oldest of entries.keys()) {
    entries.delete(oldest);
    return;
  }
}
