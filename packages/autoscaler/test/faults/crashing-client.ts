import type { KubeClient, KubeRequest } from "@plimsoll/kube";

/** When a process crashes: at its n-th request, before or after the request is sent. */
export interface Crash {
  readonly atRequest: number;
  readonly when: "before" | "after";
}

export interface CrashingClient extends KubeClient {
  /** From now on requests count. */
  arm(): void;
  readonly isCrashed: boolean;
  /** The request at which it crashed. */
  readonly lastRequest: string;
}

/** No request of a crashed process reaches the cluster; its pending calls are rejected. */
export function crashingClient(client: KubeClient, crash: Crash): CrashingClient {
  let count = 0;
  let isArmed = false;
  let isCrashed = false;
  let lastRequest = "";
  const gone = (): never => {
    throw new Error("this process has crashed");
  };
  return {
    server: client.server,
    async request<T>(request: KubeRequest): Promise<T> {
      if (isCrashed) return gone();
      if (isArmed) count += 1;
      if (count !== crash.atRequest) return client.request<T>(request);
      lastRequest = `${request.method ?? "GET"} ${request.path}`;
      isCrashed = true;
      if (crash.when === "after") await client.request<T>(request);
      return gone();
    },
    stream: (request) => (isCrashed ? gone() : client.stream(request)),
    close: () => client.close(),
    arm() {
      isArmed = true;
    },
    get isCrashed() {
      return isCrashed;
    },
    get lastRequest() {
      return lastRequest;
    },
  };
}
