import type { Clock, KubeClient } from "@plimsoll/kube";

/** Under this name the API server notes what we write. */
export const fieldManager = "plimsoll-autoscaler";

/** The same client with a shorter patience, and a common end, for single answers; streams are left alone. */
export function withDeadline(client: KubeClient, timeoutMs: number, signal?: AbortSignal): KubeClient {
  const common = { timeoutMs, ...(signal === undefined ? {} : { signal }) };
  return {
    server: client.server,
    request: (request) => client.request({ ...common, ...request }),
    stream: (request) => client.stream(request),
    close: () => client.close(),
  };
}

/** The same client, that signs every write with our name. */
export function asFieldManager(client: KubeClient): KubeClient {
  return {
    ...client,
    request: (request) =>
      client.request(
        request.method === undefined || request.method === "GET" || request.method === "DELETE"
          ? request
          : { ...request, query: { fieldManager, ...request.query } },
      ),
  };
}

/** Waits for the end of something, and no longer than so long. */
export async function inTime(clock: Clock, patienceMs: number, done: Promise<void>): Promise<void> {
  let cancel = (): void => {};
  const patience = new Promise<void>((resolve) => {
    cancel = clock.after(patienceMs, resolve);
  });
  await Promise.race([done, patience]);
  cancel();
}
