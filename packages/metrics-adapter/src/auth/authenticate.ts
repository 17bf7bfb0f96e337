import type { IncomingMessage } from "node:http";
import {
  bearerToken,
  type TokenAuthenticator,
  type User,
  withAuthenticatedGroup,
} from "@plimsoll/kube/serving";
import type { AuthenticationConfig } from "./authentication-config.ts";
import { createHeaderIdentities } from "./header-identities.ts";
import { type Peer, peerOf } from "./peer.ts";
import { type ChainVerdict, verifyClientChain } from "./verify-chain.ts";

export type AuthenticationMethod = "front-proxy" | "x509" | "token";

export type Authentication =
  | { readonly type: "user"; readonly user: User; readonly method: AuthenticationMethod }
  | { readonly type: "anonymous" }
  | { readonly type: "refused"; readonly reason: string }
  | { readonly type: "busy" };

export interface AuthenticatorOptions {
  /** The configuration now in force; a new object when it changed. */
  readonly config: () => AuthenticationConfig;
  readonly tokens: TokenAuthenticator | undefined;
  readonly nowMs: () => number;
}

export interface Authenticator {
  /** At once, unless somebody else has to be asked. */
  authenticate(request: IncomingMessage): Authentication | Promise<Authentication>;
}

const refusalTtlMs = 30_000;

/** What a peer's certificate proves under one configuration. */
interface PeerStanding {
  readonly config: AuthenticationConfig;
  readonly validUntilMs: number;
  readonly isFrontProxy: boolean;
  /** As whom the certificate itself lets in; anonymous: as nobody. */
  readonly client: Authentication;
  readonly reason: string;
}

/**
 * Front proxy, then client certificate, then bearer token. Nobody is anonymous whose credentials failed.
 * @upstream staging/src/k8s.io/apiserver/pkg/authentication/authenticatorfactory/delegating.go#New
 */
export function createAuthenticator(options: AuthenticatorOptions): Authenticator {
  const standings = new WeakMap<Peer, PeerStanding>();
  const headerIdentity = createHeaderIdentities();

  const standingOf = (peer: Peer): PeerStanding => {
    const config = options.config();
    const nowMs = options.nowMs();
    const known = standings.get(peer);
    if (known !== undefined && known.config === config && nowMs < known.validUntilMs) {
      return known;
    }
    const standing = judge(peer, config, nowMs);
    standings.set(peer, standing);
    return standing;
  };

  const byCertificate = (standing: PeerStanding, rawHeaders: readonly string[]): Authentication => {
    if (standing.isFrontProxy) {
      const identity = headerIdentity(rawHeaders, standing.config);
      if (identity.type !== "anonymous") {
        return identity;
      }
    }
    return standing.client;
  };

  return {
    authenticate: (request) => {
      const peer = peerOf(request.socket);
      let problem: string | undefined;
      if (peer !== undefined) {
        const standing = standingOf(peer);
        const result = byCertificate(standing, request.rawHeaders);
        if (result.type === "user" || result.type === "refused") {
          return result;
        }
        problem = standing.reason;
      }
      const token = bearerToken(request.headers.authorization);
      if (token !== undefined && options.tokens !== undefined) {
        return byToken(options.tokens, token);
      }
      if (token !== undefined) {
        return { type: "refused", reason: "bearer tokens are not accepted" };
      }
      return problem === undefined ? { type: "anonymous" } : { type: "refused", reason: problem };
    },
  };
}

async function byToken(tokens: TokenAuthenticator, token: string): Promise<Authentication> {
  const verdict = await tokens.authenticate(token);
  switch (verdict.type) {
    case "user":
      return { type: "user", user: withAuthenticatedGroup(verdict.user), method: "token" };
    case "rejected":
      return { type: "refused", reason: "the token is not valid" };
    case "busy":
      return { type: "busy" };
    case "failed":
      return { type: "refused", reason: `the token could not be reviewed: ${verdict.message}` };
  }
}

function judge(peer: Peer, config: AuthenticationConfig, nowMs: number): PeerStanding {
  const question = { leaf: peer.leaf, intermediates: peer.intermediates, nowMs };
  const proxy = verifyClientChain({ ...question, anchors: config.requestHeader?.anchors ?? [] });
  const client = verifyClientChain({ ...question, anchors: config.clientCa });
  const isFrontProxy = proxy.ok && isAllowedName(proxy.leaf.commonName, config);
  const user = client.ok ? certificateUser(client, peer) : undefined;
  // A refusal may be a matter of time (not yet valid), so it is looked at again.
  const until = [proxy, client].map((verdict) => (verdict.ok ? verdict.validUntilMs : nowMs + refusalTtlMs));
  return {
    config,
    validUntilMs: Math.min(...until),
    isFrontProxy,
    client:
      user === undefined
        ? { type: "anonymous" }
        : { type: "user", user: withAuthenticatedGroup(user), method: "x509" },
    reason: standingReason(isFrontProxy, proxy, client),
  };
}

function standingReason(isFrontProxy: boolean, proxy: ChainVerdict, client: ChainVerdict): string {
  if (isFrontProxy) {
    return "the front proxy named no user";
  }
  if (proxy.ok) {
    return `common name "${proxy.leaf.commonName}" is not an allowed front proxy`;
  }
  return client.ok ? "the client certificate names no user" : client.reason;
}

function isAllowedName(commonName: string, config: AuthenticationConfig): boolean {
  const allowed = config.requestHeader?.allowedNames ?? [];
  return allowed.length === 0 || allowed.includes(commonName);
}

function certificateUser(verdict: ChainVerdict & { ok: true }, peer: Peer): User | undefined {
  const { commonName, organizations } = verdict.leaf;
  if (commonName === "") {
    return undefined;
  }
  const digest = peer.leaf.fingerprint.replaceAll(":", "").toLowerCase();
  return {
    name: commonName,
    uid: undefined,
    groups: organizations,
    extra: { "authentication.kubernetes.io/credential-id": [`X509SHA256=${digest}`] },
  };
}
