// A client of the process that decides, which may become another one.
import {
  ApiError,
  ConnectionError,
  type KubeClient,
  type KubeRequest,
  PortForwardRefusedError,
} from "@plimsoll/kube";

/** A process, and a client of it. */
export interface Opened<T> {
  readonly at: T;
  readonly client: KubeClient;
}

export interface MovingOptions<T> {
  /** Where it is now. Throws where nothing announces itself. */
  readonly locate: () => Promise<T>;
  readonly open: (at: T) => Promise<KubeClient>;
  readonly isSame: (one: T, other: T) => boolean;
}

/** Looks again where the process is when it cannot be reached, and sends the request there: all are reads. */
export function movingClient<T>(first: Opened<T>, options: MovingOptions<T>): KubeClient {
  const { locate, open, isSame } = options;
  const all = [first.client];
  let current = first;

  async function sent<R>(run: (client: KubeClient) => Promise<R>): Promise<R> {
    const used = current;
    try {
      return await run(used.client);
    } catch (error) {
      if (!mayHaveMoved(error)) throw error;
      if (current === used && !(await move(used))) throw error;
      return run(current.client);
    }
  }

  async function move(used: Opened<T>): Promise<boolean> {
    const at = await locate().catch(() => undefined);
    if (at === undefined || isSame(at, used.at)) return false;
    const client = await open(at);
    all.push(client);
    current = { at, client };
    return true;
  }

  return {
    get server() {
      return current.client.server;
    },
    request: <R>(request: KubeRequest) => sent((client) => client.request<R>(request)),
    stream: (request) => sent((client) => client.stream(request)),
    async close() {
      await Promise.all(all.map((client) => client.close()));
    },
  };
}

/** The process is gone, or is another one than the lease said. */
function mayHaveMoved(error: unknown): boolean {
  if (error instanceof ConnectionError) return error.kind !== "aborted" && error.kind !== "credentials";
  if (error instanceof PortForwardRefusedError) return error.code === 404;
  return error instanceof ApiError && error.code === 503;
}
