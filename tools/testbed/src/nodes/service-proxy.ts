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

  function open(service: Service): void {
    for (const { name, port, key } of keysOf(service)) {
      if (listeners.has(key)) continue;
      const server = createServer((socket) => pass(service, name, socket));
      // Ports below 1024 are for root only; no client connects to those here.
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

  function pass(service: Service, portName: string, socket: Socket): void {
    const slicesOfIt = slices.store
      .list(service.metadata.namespace)
      .filter((slice) => slice.metadata.labels?.["kubernetes.io/service-name"] === service.metadata.name);
    const target = pickOne(slicesOfIt.flatMap((slice) => readyAddresses(slice, portName)));
    if (target?.port === undefined) socket.destroy();
    else join(sockets, socket, connectTcp(target.port, target.host));
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

function keysOf({ spec }: Service) {
  if (spec?.selector === undefined) return [];
  return (spec.ports ?? []).map(({ name, port }) => ({
    name: name ?? "",
    port,
    key: `${spec.clusterIP}:${port}`,
  }));
}

function readyAddresses({ endpoints, ports }: EndpointSlice, portName: string) {
  const port = ports?.find(({ name = "" }) => name === portName)?.port;
  return (endpoints ?? [])
    .filter(({ conditions }) => conditions?.ready === true)
    .flatMap(({ addresses }) => addresses.map((address) => ({ host: localAddress(address), port })));
}

function pickOne<T>(from: readonly T[]): T | undefined {
  return from[Math.floor(Math.random() * from.length)];
}

/** What comes on one goes to the other, and both end together. */
function join(open: Set<Socket>, client: Socket, server: Socket): void {
  for (const [one, other] of [
    [client, server],
    [server, client],
  ] as const) {
    open.add(one);
    one.pipe(other);
    one.on("error", () => other.destroy());
    one.once("close", () => {
      open.delete(one);
      other.destroy();
    });
  }
}
