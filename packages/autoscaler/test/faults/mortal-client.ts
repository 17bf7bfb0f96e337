import type { KubeClient, KubeRequest } from "@plimsoll/kube";

/** When a process dies: at its n-th request, with the request on its way or not. */
export interface Death {
  readonly atRequest: number;
  readonly when: "before" | "after";
}

export interface MortalClient extends KubeClient {
  /** From now on requests count. */
  arm(): void;
  readonly isDead: boolean;
  /** What it died at. */
  readonly lastWords: string;
}

/** No request of a dead process reaches the cluster; its pending calls are rejected. */
export function mortal(client: KubeClient, death: Death): MortalClient {
  let count = 0;
  let isArmed = false;
  let isDead = false;
  let lastWords = "";
  const gone = (): never => {
    throw new Error("this process is dead");
  };
  return {
    server: client.server,
    async request<T>(request: KubeRequest): Promise<T> {
      if (isDead) return gone();
      if (isArmed) count += 1;
      if (count !== death.atRequest) return client.request<T>(request);
      lastWords = `${request.method ?? "GET"} ${request.path}`;
      isDead = true;
      if (death.when === "after") await client.request<T>(request);
      return gone();
    },
    stream: (request) => (isDead ? gone() : client.stream(request)),
    close: () => client.close(),
    arm() {
      isArmed = true;
    },
    get isDead() {
      return isDead;
    },
    get lastWords() {
      return lastWords;
    },
  };
}
