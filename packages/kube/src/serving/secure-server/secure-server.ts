// A listener with TLS that delegates authentication and authorization to the API server.
import type { IncomingMessage, RequestListener } from "node:http";
import { type CacheMeter, type Clock, chain, createLogLimiter, type Logger } from "@plimsoll/component-base";
import type { KubeClient } from "../../client/client.ts";
import { reviewAccess } from "../../reviews/access-review.ts";
import { type Authorizer, type AuthorizerOptions, createAuthorizer } from "../../reviews/authorizer.ts";
import { reviewToken } from "../../reviews/token-review.ts";
import { createTokenAuthenticator } from "../../reviews/tokens.ts";
import { type Authenticator, createAuthenticator } from "../authentication/authenticate.ts";
import { createAuthenticationSource } from "../authentication/authentication-source.ts";
import type { StaticAuthentication } from "../authentication/file-authentication.ts";
import { isIdentityHeader } from "../authentication/identity-headers.ts";
import type { DrainTimes } from "../drain.ts";
import type { ReadText } from "../file-poller.ts";
import {
  createServingCertificate,
  type ServingCertificateOptions,
  type ServingMaterial,
} from "../serving-certificate.ts";
import { filePollMs, reviewLimits } from "./limits.ts";
import {
  type BoundAddress,
  createSecureListener,
  type ListenerOptions,
  type SecureListener,
  type TlsOptions,
} from "./listener.ts";

/** Where callers are authenticated. */
export interface DelegatedAuthentication {
  /** Reviews tokens. */
  readonly client: KubeClient;
  /** Whether the cluster says which client certificates and front proxies to trust. */
  readonly looksUpConfigMap: boolean;
  readonly tokenTtlMs: number;
  readonly files: StaticAuthentication;
}

/** Where it is decided what callers may do. */
export interface DelegatedAuthorization<R>
  extends Pick<AuthorizerOptions<R>, "specOf" | "keyOf" | "wildcardKeyOf" | "allowedTtlMs" | "deniedTtlMs"> {
  /** Reviews access. */
  readonly client: KubeClient;
}

/** What a server shows, whom it asks about its callers, and where it listens. */
export interface SecureServerOptions<R>
  extends Pick<ListenerOptions, "address" | "port" | "isPortShared">,
    TlsOptions {
  /** In the names of a self-signed certificate, localhost is added. */
  readonly certificate: Pick<ServingCertificateOptions, "files" | "sniFiles" | "store" | "hosts">;
  readonly authentication: DelegatedAuthentication;
  readonly authorization: DelegatedAuthorization<R>;
  readonly readText: ReadText;
  readonly clock: Clock;
  /** Of connections that end; default: the same. */
  readonly connectionClock?: Clock;
  readonly log: Logger;
  readonly meter?: CacheMeter | undefined;
  /** Called with each certificate, also with the first. */
  readonly onCertificate: (material: ServingMaterial) => void;
  readonly onReload?: (
    what: "serving-certificate" | "authentication",
    outcome: "success" | "failure",
  ) => void;
}

/** A server that knows its callers and what they may do. */
export interface SecureServer<R> extends Authenticator, Authorizer<R>, Pick<SecureListener, "keep"> {
  /** Whether a header, in lower case, says who the caller is. */
  isIdentityHeader(name: string): boolean;
  /** Undefined when callers can be authenticated, else what is missing. */
  problem(): string | undefined;
  /** The certificate that is shown. @throws Error before start. */
  current(): ServingMaterial;
  /** @throws when the port or the certificates cannot be used. */
  start(handler: RequestListener): Promise<BoundAddress>;
  close(times: DrainTimes): Promise<void>;
}

/** Nothing runs before start. */
export function createSecureServer<R>(options: SecureServerOptions<R>): SecureServer<R> {
  const { authentication, certificate, clock, meter, onReload = () => {} } = options;
  const polled = { ...options, pollIntervalMs: filePollMs };
  const shown = createServingCertificate({
    ...polled,
    ...certificate,
    hosts: [...new Set(["localhost", "127.0.0.1", "::1", ...certificate.hosts])],
    onReload: (outcome) => onReload("serving-certificate", outcome),
  });
  const source = createAuthenticationSource({
    ...polled,
    files: authentication.files,
    client: authentication.looksUpConfigMap ? authentication.client : undefined,
    onReload: (outcome) => onReload("authentication", outcome),
  });
  const tokens = createTokenAuthenticator({
    review: (token, signal) => reviewToken(authentication.client, token, signal),
    clock,
    meter,
    ttlMs: authentication.tokenTtlMs,
    timeoutMs: reviewLimits.timeoutMs,
    maxEntries: reviewLimits.tokens,
    maxInFlight: reviewLimits.tokensInReview,
  });
  const authenticator = createAuthenticator({
    config: source.current,
    tokens,
    nowMs: () => clock.nowMs(),
    meter,
  });
  let listener: SecureListener | undefined;
  return {
    ...withWarnings(authenticator, delegatedAuthorizer(options), options),
    isIdentityHeader: (name) => isIdentityHeader(source.current(), name),
    problem: source.problem,
    current: shown.current,
    keep: (request: IncomingMessage, user: string) => listener?.keep(request, user),
    async start(handler) {
      const material = await shown.start();
      await source.start();
      const { connectionClock = clock } = options;
      const opened = createSecureListener({ ...options, clock: connectionClock, material, handler });
      listener = opened;
      const bound = await opened.listen();
      shown.subscribe((next) => {
        opened.update(next);
        options.onCertificate(next);
      });
      // It can be another one by now.
      opened.update(shown.current());
      options.onCertificate(shown.current());
      return bound;
    },
    async close(times) {
      await listener?.close(times);
      shown.stop();
      await source.stop();
    },
  };
}

function delegatedAuthorizer<R>({ authorization, clock, meter }: SecureServerOptions<R>): Authorizer<R> {
  const { client, ...given } = authorization;
  return createAuthorizer({
    ...given,
    review: (spec, signal) => reviewAccess(client, spec, signal),
    clock,
    meter,
    timeoutMs: reviewLimits.timeoutMs,
    maxEntries: reviewLimits.decisions,
    maxBytes: reviewLimits.decisionBytes,
  });
}

/** Logs reviews that fail, now and then. */
function withWarnings<R>(
  authenticator: Authenticator,
  authorizer: Authorizer<R>,
  { clock, log }: Pick<SecureServerOptions<R>, "clock" | "log">,
): Authenticator & Authorizer<R> {
  const mayLog = createLogLimiter(clock, reviewLimits.warningPauseMs);
  return {
    authenticate: (request) =>
      chain(authenticator.authenticate(request), (result) => {
        if (result.type === "unreviewed" && mayLog("token"))
          log.warn({ reason: result.reason }, "could not review a token");
        return result;
      }),
    authorize: (user, request) =>
      chain(authorizer.authorize(user, request), (decision) => {
        if (decision.type === "unknown" && mayLog("access"))
          log.warn({ reason: decision.message }, "could not review access");
        return decision;
      }),
  };
}
