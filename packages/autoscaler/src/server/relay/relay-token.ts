// The token by which one process of this deployment knows another: it is of no use anywhere else.
import { type Clock, cacheTiming, createBoundedCache, messageOf } from "@plimsoll/component-base";
import { type KubeClient, resourcePath, reviewToken } from "@plimsoll/kube";
import { createTokenAuthenticator, type ReadText } from "@plimsoll/kube/serving";

/** What the token must be for. A token of the API server's own audience would be worth stealing. */
const audience = "relay.autoscaling.plimsoll.dev";

export interface RelayTokenDeps {
  /** A projected service account token; undefined: there is none. */
  readonly file: string | undefined;
  readonly readText: ReadText;
  readonly client: KubeClient;
  readonly clock: Clock;
}

export type RelayToken = ReturnType<typeof createRelayToken>;

export function createRelayToken({ file, readText, client, clock }: RelayTokenDeps) {
  const tokens = createTokenAuthenticator({
    clock,
    review: (token, signal) => reviewToken(client, token, signal, [audience]),
    ttlMs: 10_000,
    timeoutMs: 10_000,
    maxEntries: 100,
    maxInFlight: 16,
  });

  const checkPod = createOwnPods({ client, clock });

  /** Read each time: the kubelet replaces it. */
  async function own(): Promise<string> {
    if (file === undefined) throw new Error("this process has no relay token: set --relay-token-file");
    try {
      return (await readText(file)).trim();
    } catch (error) {
      throw new Error(`cannot read the token of --relay-token-file: ${messageOf(error)}`, {
        cause: error,
      });
    }
  }

  async function nameOf(token: string): Promise<string | undefined> {
    const result = await tokens.authenticate(token);
    return result.type === "user" ? result.user.name : undefined;
  }

  return {
    /** To be sent to the process at an address. @throws Error when there is none, or the address is not a pod of ours. */
    async forPod(address: string): Promise<string> {
      const token = await own();
      const account = await nameOf(token);
      if (account === undefined)
        throw new Error(
          `the API server rejects the token of --relay-token-file: its audience must be ${audience}`,
        );
      await checkPod(address, account);
      return token;
    },
    /** Whether it is the token of a process with our own service account. Never rejects. */
    async isOurs(token: string): Promise<boolean> {
      try {
        const [theirs, ours] = await Promise.all([nameOf(token), own().then(nameOf)]);
        return theirs !== undefined && theirs === ours;
      } catch {
        return false;
      }
    },
  };
}

const pods = { group: "", version: "v1", resource: "pods" };
const timeoutMs = 10_000;
/** A pod's address may be another's soon after its end. */
const ttlMs = 10_000;
const maxBytes = 65_536;

/**
 * @throws Error unless a pod that runs as the account has the address; `account` is the user name of a service account.
 */
type CheckOwnPod = (address: string, account: string) => Promise<void>;

/** Which addresses are of pods of this deployment: a lease says what whoever may write it wants it to say. */
function createOwnPods({
  client,
  clock,
}: {
  readonly client: KubeClient;
  readonly clock: Clock;
}): CheckOwnPod {
  const known = createBoundedCache<true>({ name: "own_pods", maxBytes, ttlMs, ...cacheTiming(clock) });
  return async (address, account) => {
    const [, namespace, name] = /^system:serviceaccount:([^:]+):([^:]+)$/.exec(account) ?? [];
    if (namespace === undefined || name === undefined)
      throw new Error(`this process's token belongs to ${account}, which is not a service account`);
    const key = `${account} ${address}`;
    if (known.get(key) === true) return;
    const { items } = await client.request<{ readonly items?: readonly unknown[] | null }>({
      path: resourcePath(pods, namespace),
      query: {
        fieldSelector: `status.podIP=${address},spec.serviceAccountName=${name},status.phase=Running`,
        limit: 1,
      },
      timeoutMs,
    });
    if ((items ?? []).length === 0)
      throw new Error(`no running pod of ${account} has this address; nothing was sent`);
    known.set(key, true);
  };
}
