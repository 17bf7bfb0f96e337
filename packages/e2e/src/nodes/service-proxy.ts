import { connect as connectTcp, createServer, type Server, type Socket } from "node:net";
import { createReflector, type KubeClient, type KubeObject } from "@plimsoll/kube";
import { localAddress } from "./pod.ts";

/** Listens on the cluster IPs of Services and passes connections on to ready endpoints, as kube-proxy has it done. */
export interface ServiceProxy {
  stop(): Promise<void>;
}

interface Service extends KubeObject {
  readonly spec?: {
    readonly clusterIP?: string;
    readonly selector?: object;
    readonly ports?: readonly { readonly name?: string; readonly port: number }[];
  };
}

interface EndpointSlice extends KubeObject {
  /** Null while the Service has no pods. */
  readonly endpoints?:
    | readonly { readonly addresses: readonly string[]; readonly conditions?: { readonly ready?: boolean } }[]
    | null;
  readonly ports?: readonly { readonly name?: string; readonly port?: number }[] | null;
}

/** The cluster IPs have to be on loopback. */
export async function startServiceProxy(
  client: KubeClient,
  onError: (error: unknown) => void,
): Promise<ServiceProxy> {
  const services = createReflector<Service>({ client, path: "/api/v1/services", onError });
  const slices = createReflector<EndpointSlice>({
    client,
    path: "/apis/discovery.k8s.io/v1/endpointslices",
    onError,
  });
  const listeners = new Map<string, Server>();
  const sockets = new Set<Socket>();

  const keysOf = (service: Service) =>
    service.spec?.selector === undefined
      ? []
      : (service.spec.ports ?? []).map(({ name, port }) => ({
          name: name ?? "",
          port,
          key: `${service.spec?.clusterIP}:${port}`,
        }));

  function open(service: Service): void {
    for (const { name, port, key } of keysOf(service)) {
      if (listeners.has(key)) continue;
      const server = createServer((socket) => pass(service, name, socket));
      // Ports below 1024 are for root only; nobody connects to those here.
      server.on("error", (error: NodeJS.ErrnoException) => {
        if (error.code !== "EACCES") onError(error);
      });
      server.listen(port, service.spec?.clusterIP);
      listeners.set(key, server);
    }
  }

  function close(service: Service): void {
    for (const { key } of keysOf(service)) {
      listeners.get(key)?.close();
      listeners.delete(key);
    }
  }

  function pass({ metadata }: Service, portName: string, socket: Socket): void {
    const ready = slices.store
      .list(metadata.namespace)
      .filter((slice) => slice.metadata.labels?.["kubernetes.io/service-name"] === metadata.name)
      .flatMap(({ endpoints, ports }) => {
        const port = ports?.find(({ name = "" }) => name === portName)?.port;
        return (endpoints ?? [])
          .filter(({ conditions }) => conditions?.ready === true)
          .flatMap(({ addresses }) => addresses.map((address) => ({ host: localAddress(address), port })));
      });
    const target = ready[Math.floor(Math.random() * ready.length)];
    if (target?.port === undefined) {
      socket.destroy();
      return;
    }
    const onward = connectTcp(target.port, target.host);
    for (const [one, other] of [
      [socket, onward],
      [onward, socket],
    ] as const) {
      sockets.add(one);
      one.pipe(other);
      one.on("error", () => other.destroy());
      one.once("close", () => {
        sockets.delete(one);
        other.destroy();
      });
    }
  }

  services.subscribe(({ type, object }) => (type === "deleted" ? close(object) : open(object)));
  for (const reflector of [services, slices]) reflector.start();
  await Promise.all([services.synced(), slices.synced()]);
  return {
    async stop() {
      await Promise.all([services.stop(), slices.stop()]);
      for (const server of listeners.values()) server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
