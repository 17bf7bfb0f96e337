// Caches credentials and TLS material, and reloads them when they change or are refused.
import type { Clock } from "@plimsoll/component-base";
import { registerSecret, secretsOfHeader } from "@plimsoll/core/redact";

/** What a request needs to be let in, as it is now. */
export interface Credentials {
  /** Authorization and impersonation. */
  readonly headers: Readonly<Record<string, string>>;
  readonly tls: TlsMaterial;
}

/** In PEM. */
export interface TlsMaterial {
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
  readonly servername?: string;
  readonly rejectUnauthorized?: boolean;
}

/** Where credentials come from. Both throw when there is no way to get them. */
export interface CredentialSource {
  /** As the files, tokens and plugins give them now; may use what they gave before while that is valid. */
  read(): Promise<Credentials>;
  /** Forgets what was kept, so that the next read() starts from the configuration itself. */
  reload(): Promise<void>;
}

/** The credentials in use. */
export type CredentialCache = ReturnType<typeof createCredentialCache>;

/** So long credentials are used without a look at where they come from. */
const freshMs = 10_000;
/** A server that refuses all credentials must not make us run a plugin per request. */
const minReloadIntervalMs = 5000;

/** Reads credentials now and then, and at once when the server refuses them; calls at one time share a read. */
export function createCredentialCache(source: CredentialSource, clock: Clock) {
  let cached: { readonly credentials: Credentials; readonly readAtMs: number } | undefined;
  let reading: Promise<Credentials> | undefined;
  let reloadedAtMs = Number.NEGATIVE_INFINITY;

  function read(prepare?: () => Promise<void>): Promise<Credentials> {
    reading ??= (async () => {
      try {
        await prepare?.();
        const credentials = await source.read();
        register(credentials);
        cached = { credentials, readAtMs: clock.nowMs() };
        return credentials;
      } finally {
        reading = undefined;
      }
    })();
    return reading;
  }

  return {
    current(): Promise<Credentials> {
      const ageMs = cached === undefined ? freshMs : Math.abs(clock.nowMs() - cached.readAtMs);
      return cached !== undefined && ageMs < freshMs ? Promise.resolve(cached.credentials) : read();
    },
    /** The server did not take these. Returns others, or undefined when there are none to be had now. */
    async replace(rejected: Credentials): Promise<Credentials | undefined> {
      if (cached !== undefined && cached.credentials !== rejected) return cached.credentials;
      if (reading === undefined) {
        if (Math.abs(clock.nowMs() - reloadedAtMs) < minReloadIntervalMs) return undefined;
        reloadedAtMs = clock.nowMs();
      }
      return read(() => source.reload());
    },
  };
}

/** The impersonated user isn't secret. */
function register({ headers }: Credentials): void {
  for (const [name, value] of Object.entries(headers))
    if (name.toLowerCase() === "authorization") registerSecret(...secretsOfHeader(name, value));
}
