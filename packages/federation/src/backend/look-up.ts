// Looks up the addresses of backends, one at a time, so that a DNS that does not respond stops no other work.
import { type LookupAddress, lookup as systemLookUp } from "node:dns";
import type { LookupFunction } from "node:net";
import { type Clock, createLimit, race } from "@plimsoll/component-base";

/** All addresses of a name. */
export type LookUpAll = (host: string) => Promise<readonly LookupAddress[]>;

/** How long an address is used without another look-up; older ones are used while the DNS does not respond. */
const freshMs = 30_000;
/** For how long a look-up is waited for where an older address is known. */
const slowMs = 500;

/**
 * For all backends together. The look-ups of the runtime share four threads with reading files and compressing answers:
 * of these only one is ever used here, and requests for the same name share it.
 */
export function createLookUp(clock: Clock, all: LookUpAll = lookUpAll): LookupFunction {
  const limit = createLimit(1);
  const known = new Map<string, { readonly atMs: number; readonly addresses: readonly LookupAddress[] }>();
  const pending = new Map<string, Promise<readonly LookupAddress[]>>();

  const find = (host: string): Promise<readonly LookupAddress[]> => {
    const last = known.get(host);
    const ageMs = last === undefined ? Number.POSITIVE_INFINITY : clock.nowMs() - last.atMs;
    if (last !== undefined && ageMs >= 0 && ageMs < freshMs) return Promise.resolve(last.addresses);
    const found = pending.get(host) ?? start(host);
    return last === undefined ? found : orAfter(clock, found, last.addresses);
  };

  const start = (host: string): Promise<readonly LookupAddress[]> => {
    const found = limit(() => all(host))
      .then(
        (addresses) => {
          known.set(host, { atMs: clock.nowMs(), addresses });
          return addresses;
        },
        (error: unknown) => {
          const last = known.get(host);
          if (last !== undefined) return last.addresses;
          throw error;
        },
      )
      .finally(() => pending.delete(host));
    pending.set(host, found);
    return found;
  };

  return (host, options, done) => {
    find(host).then(
      (addresses) => report(addresses, options.all === true, done),
      (error: unknown) => done(error as NodeJS.ErrnoException, "", 0),
    );
  };
}

/** Look-ups of other names, which do not end, may be before it. */
async function orAfter<T>(clock: Clock, found: Promise<T>, known: T): Promise<T> {
  let cancel = (): void => {};
  const late = new Promise<T>((resolve) => {
    cancel = clock.after(slowMs, () => resolve(known));
  });
  try {
    return await race([found, late]);
  } finally {
    cancel();
  }
}

function report(
  addresses: readonly LookupAddress[],
  wantsAll: boolean,
  done: Parameters<LookupFunction>[2],
): void {
  const [first] = addresses;
  if (wantsAll) done(null, [...addresses]);
  else if (first === undefined) done(new Error("it has no address"), "", 0);
  else done(null, first.address, first.family);
}

function lookUpAll(host: string): Promise<readonly LookupAddress[]> {
  return new Promise((resolve, reject) => {
    systemLookUp(host, { all: true }, (error, addresses) => {
      if (error === null) resolve(addresses);
      else reject(error);
    });
  });
}
