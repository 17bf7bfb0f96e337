// Finds out who sent a request.
import type { IncomingMessage } from "node:http";
import { type Awaitable, type CacheMeter, createBoundedCache } from "@plimsoll/component-base";
import { type User, withAuthenticatedGroup } from "../../reviews/identity.ts";
import { bearerToken, type TokenAuthenticator } from "../../reviews/tokens.ts";
import type { AuthenticationConfig } from "./authentication-config.ts";
import type { AuthenticationResult } from "./authentication-result.ts";
import { createHeaderIdentities } from "./header-identities.ts";
import { type Peer, peerOf } from "./peer.ts";
import { type ChainResult, verifyClientChain } from "./verify-chain.ts";

export interface AuthenticatorOptions {
  readonly meter?: CacheMeter | undefined;
  /** The configuration now in force; a new object when it changed. */
  readonly config: () => AuthenticationConfig;
  readonly tokens: TokenAuthenticator | undefined;
  readonly nowMs: () => number;
}

export type Authenticator = ReturnType<typeof createAuthenticator>;

const refusalTtlMs = 30_000;
/** An API server opens a connection for each request of a burst, and all show one certificate. */
const provenTtlMs = 600_000;

/** What the certificate of a peer proves under one configuration. */
interface PeerIdentity {
  readonly config: AuthenticationConfig;
  readonly validUntilMs: number;
  readonly isFrontProxy: boolean;
  /** The user that the certificate itself names; anonymous when it names none. */
  readonly client: AuthenticationResult;
  readonly reason: string;
}

/**
 * Front proxy, then client certificate, then bearer token. A caller whose credentials failed is not anonymous.
 * @upstream staging/src/k8s.io/apiserver/pkg/authentication/authenticatorfactory/delegating.go#New
 */
export function createAuthenticator(options: AuthenticatorOptions) {
  const identityOf = createPeerIdentities(options);
  const headerIdentity = createHeaderIdentities(options.meter);

  const byCertificate = (peerIdentity: PeerIdentity, rawHeaders: readonly string[]): AuthenticationResult => {
    if (peerIdentity.isFrontProxy) {
      const identity = headerIdentity(rawHeaders, peerIdentity.config);
      if (identity.type !== "anonymous") return identity;
    }
    return peerIdentity.client;
  };

  return {
    /** Synchronous, unless kube-apiserver has to review a token. */
    authenticate: (request: IncomingMessage): Awaitable<AuthenticationResult> => {
      const peer = peerOf(request.socket);
      let problem: string | undefined;
      if (peer !== undefined) {
        const peerIdentity = identityOf(peer);
        const result = byCertificate(peerIdentity, request.rawHeaders);
        if (result.type === "user" || result.type === "refused") return result;
        problem = peerIdentity.reason;
      }
      const token = bearerToken(request.headers.authorization);
      if (token !== undefined && options.tokens !== undefined) return byToken(options.tokens, token);
      if (token !== undefined) return { type: "refused", reason: "bearer tokens are not accepted" };
      return problem === undefined ? { type: "anonymous" } : { type: "refused", reason: problem };
    },
  };
}

/** What the certificates of a peer prove: verified once for each connection, and for all that show the same. */
function createPeerIdentities(options: AuthenticatorOptions): (peer: Peer) => PeerIdentity {
  const identities = new WeakMap<Peer, PeerIdentity>();
  /** By the certificates: only of those that prove something, so that no caller without an identity can fill it. */
  const proven = createBoundedCache<PeerIdentity>({
    name: "peers",
    meter: options.meter,
    maxBytes: 1024 * 1024,
    sizeOf: () => 2_048,
    ttlMs: provenTtlMs,
    nowMs: options.nowMs,
  });
  return (peer) => {
    const config = options.config();
    const nowMs = options.nowMs();
    const isValid = (known: PeerIdentity | undefined): known is PeerIdentity =>
      known !== undefined && known.config === config && nowMs < known.validUntilMs;
    const ofConnection = identities.get(peer);
    if (isValid(ofConnection)) return ofConnection;
    const key = [peer.leaf, ...peer.intermediates].map(({ fingerprint }) => fingerprint).join(" ");
    const ofCertificates = proven.get(key);
    const identity = isValid(ofCertificates) ? ofCertificates : verifyPeer(peer, config, nowMs);
    identities.set(peer, identity);
    if (identity.isFrontProxy || identity.client.type === "user") proven.set(key, identity);
    return identity;
  };
}

async function byToken(tokens: TokenAuthenticator, token: string): Promise<AuthenticationResult> {
  const result = await tokens.authenticate(token);
  switch (result.type) {
    case "user":
      return { type: "user", user: withAuthenticatedGroup(result.user), method: "token" };
    case "rejected":
      return {
        type: "refused",
        reason: result.reason === "" ? "the token is invalid" : `the token is invalid: ${result.reason}`,
      };
    case "busy":
      return { type: "busy" };
    case "failed":
      return { type: "unreviewed", reason: result.message };
  }
}

function verifyPeer(peer: Peer, config: AuthenticationConfig, nowMs: number): PeerIdentity {
  const chain = { leaf: peer.leaf, intermediates: peer.intermediates, nowMs };
  const proxy = verifyClientChain({ ...chain, anchors: config.requestHeader?.anchors ?? [] });
  const client = verifyClientChain({ ...chain, anchors: config.clientCa });
  const isFrontProxy = proxy.ok && isAllowedName(proxy.leaf.commonName, config);
  const user = client.ok ? certificateUser(client, peer) : undefined;
  // A refusal may end with time (not yet valid), so it is cached briefly.
  const until = [proxy, client].map((result) => (result.ok ? result.validUntilMs : nowMs + refusalTtlMs));
  return {
    config,
    validUntilMs: Math.min(...until),
    isFrontProxy,
    client:
      user === undefined
        ? { type: "anonymous" }
        : { type: "user", user: withAuthenticatedGroup(user), method: "x509" },
    reason: refusalReason(isFrontProxy, proxy, client),
  };
}

function refusalReason(isFrontProxy: boolean, proxy: ChainResult, client: ChainResult): string {
  if (isFrontProxy) return "the front proxy named no user";
  if (proxy.ok) return `common name "${proxy.leaf.commonName}" is not an allowed front proxy`;
  return client.ok ? "the client certificate names no user" : client.reason;
}

function isAllowedName(commonName: string, config: AuthenticationConfig): boolean {
  const allowed = config.requestHeader?.allowedNames ?? [];
  return allowed.length === 0 || allowed.includes(commonName);
}

function certificateUser(result: ChainResult & { ok: true }, peer: Peer): User | undefined {
  const { commonName, organizations } = result.leaf;
  if (commonName === "") return undefined;
  const digest = peer.leaf.fingerprint.replaceAll(":", "").toLowerCase();
  return {
    name: commonName,
    uid: undefined,
    groups: organizations,
    extra: { "authentication.kubernetes.io/credential-id": [`X509SHA256=${digest}`] },
  };
}
