// Which addresses are of pods of this deployment: a lease says what whoever may write it wants it to say.
import { type Clock, cacheTiming, createBoundedCache } from "@plimsoll/component-base";
import { type KubeClient, resourcePath } from "@plimsoll/kube";

const pods = { group: "", version: "v1", resource: "pods" };
const timeoutMs = 10_000;
/** A pod's address may be another's soon after its end. */
const ttlMs = 10_000;
const maxBytes = 65_536;

/**
 * @throws Error unless a pod that runs as the account has the address; `account` is the user name of a service account.
 */
export type CheckOwnPod = (address: string, account: string) => Promise<void>;

export function createOwnPods({
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
      throw new Error(`the token of this process is of ${account}, which is no service account`);
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
      throw new Error(`no pod of ${account} that runs has this address; nothing was sent`);
    known.set(key, true);
  };
}
