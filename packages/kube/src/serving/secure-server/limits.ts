// The limits of every listener that clients in the cluster reach, each with its reason.
import type { ServerLimits } from "@plimsoll/component-base/process";

/** What connections and requests may take. No request has a body: only GET and HEAD are served. */
export const listenerLimits: ServerLimits = {
  // A front proxy sends each group of a user as a header, and a user can be in thousands.
  headerBytes: 64 * 1024,
  // Go's clients send all headers in one write.
  headersTimeoutMs: 10_000,
  // A request that is refused can have a body, which is read and discarded for this long.
  requestTimeoutMs: 20_000,
  // A handshake is two round trips.
  handshakeTimeoutMs: 10_000,
  // Go's clients drop an idle connection after 90 s. If the server closes first, it can cut off a request.
  keepAliveTimeoutMs: 120_000,
  // A metric request takes 60 s at most, and a stream sends something every 15 s.
  inactivityTimeoutMs: 150_000,
  // An API server keeps 25 idle ones and one for each request. An idle one takes 65 KiB, and one with 60 KiB of
  // unfinished headers 167 KiB (measured with a thousand of each): all together fit into a third of a gibibyte.
  connections: 2048,
};

/** What may be in progress at a time. */
export const requestLimits = {
  // As many reads as kube-apiserver serves by default. The adapter has a flag for it.
  inFlight: 400,
  // The autoscaler: one user does not take the places of all others.
  inFlightOfOneUser: 100,
  // Nobody sends more before the first response. A connection without an identity could fill the memory.
  inFlightOfOneConnection: 100,
  // Discovery and health of the adapter are cheap: this only stops an attack with them.
  systemInFlight: 4096,
  // Each is written to once a second.
  streams: 100,
  // One user does not take the streams of all others.
  streamsOfOneUser: 20,
} as const;

/** What the API server is asked about callers. Callers choose tokens and paths, and so how many there are. */
export const reviewLimits = {
  // As components of Kubernetes that delegate authentication.
  timeoutMs: 10_000,
  // Junk tokens do not take the API server's time from all others.
  tokensInReview: 64,
  // Their results take 8 MiB at most: 1 KiB for each.
  tokens: 8192,
  // Those of 10,000 autoscalers with four metrics each, in as many namespaces: 560 bytes each, and space for others.
  decisions: 65_536,
  decisionBytes: 32 * 1024 * 1024,
  // While the API server is away, callers choose how often a review fails.
  warningPauseMs: 10_000,
} as const;

/** Often enough for a certificate that is replaced before it expires. */
export const filePollMs = 10_000;

/** Counts the requests of each kind. */
export interface InFlightLimiter<K extends string> {
  readonly inFlight: Readonly<Record<K, number>>;
  /** False at the limit; else `leave` must follow once. */
  tryEnter(kind: K): boolean;
  leave(kind: K): void;
}

/**
 * One limit for each kind, so that no number of expensive requests delays discovery and health: kube-apiserver removes
 * the whole API when discovery does not respond.
 */
export function createInFlightLimiter<K extends string>(
  limits: Readonly<Record<K, number>>,
): InFlightLimiter<K> {
  const inFlight = Object.fromEntries(Object.keys(limits).map((kind) => [kind, 0])) as Record<K, number>;
  return {
    inFlight,
    tryEnter(kind) {
      if (inFlight[kind] >= limits[kind]) return false;
      inFlight[kind] += 1;
      return true;
    },
    leave(kind) {
      inFlight[kind] -= 1;
    },
  };
}
