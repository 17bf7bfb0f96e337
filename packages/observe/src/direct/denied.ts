// Which requests the user may not make.
import { ApiError, type KubeClient } from "@plimsoll/kube";

/** A client that notes what is forbidden: what a user may not read is no failure that the controller would see. */
export interface NotingClient {
  readonly client: KubeClient;
  /** In the API server's words. */
  readonly denied: ReadonlySet<string>;
}

export function notingDenied(client: KubeClient): NotingClient {
  const denied = new Set<string>();
  const noted = async <R>(run: Promise<R>): Promise<R> => {
    try {
      return await run;
    } catch (error) {
      if (error instanceof ApiError && (error.code === 403 || error.code === 401)) denied.add(error.message);
      throw error;
    }
  };
  return {
    denied,
    client: {
      server: client.server,
      request: <T>(request: Parameters<KubeClient["request"]>[0]) => noted(client.request<T>(request)),
      stream: (request) => noted(client.stream(request)),
      close: () => client.close(),
    },
  };
}
