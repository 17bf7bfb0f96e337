import {
  type Clock,
  createReflector,
  type KubeClient,
  type KubeObject,
  type Reflector,
} from "@plimsoll/kube";
import type { Logger } from "../logger.ts";

/** Keeps spec.caBundle of APIServices, as long as they name this adapter's Service. */
export interface CaBundlePublisher {
  start(): void;
  stop(): Promise<void>;
}

export interface CaBundlePublisherOptions {
  readonly client: KubeClient;
  /** Names of APIServices. */
  readonly apiServices: readonly string[];
  /** The names that the certificate is good for; SERVICE.NAMESPACE.svc of another is left alone. */
  readonly hosts: readonly string[];
  /** In base64. */
  readonly caBundle: () => Promise<string | undefined>;
  readonly clock: Clock;
  readonly log: Logger;
}

interface ApiService extends KubeObject {
  readonly spec?: {
    readonly service?: { readonly name?: string; readonly namespace?: string };
    readonly caBundle?: string;
    readonly insecureSkipTLSVerify?: boolean;
  };
}

const path = "/apis/apiregistration.k8s.io/v1/apiservices";
const retryMs = 2_000;

export function createCaBundlePublisher(o: CaBundlePublisherOptions): CaBundlePublisher {
  const { client, clock, log } = o;
  const retries = new Set<() => void>();
  const foreign = new Map<string, string>();
  let isStopped = false;
  const reflectors = o.apiServices.map((name) => follow(name));

  /** Right by right, each watch is of one object: that is all that the role allows. */
  function follow(name: string): Reflector<ApiService> {
    const reflector = createReflector<ApiService>({
      client,
      path,
      query: { fieldSelector: `metadata.name=${name}` },
      clock,
      onError: (error) => log.warn({ err: error, apiService: name }, "an APIService cannot be watched"),
    });
    reflector.subscribe((change) => {
      if (change.type !== "deleted") void settle(change.object, reflector);
    });
    return reflector;
  }

  async function settle(apiService: ApiService, reflector: Reflector<ApiService>): Promise<void> {
    const { name, resourceVersion } = apiService.metadata;
    const service = `${apiService.spec?.service?.name}.${apiService.spec?.service?.namespace}.svc`;
    if (!o.hosts.includes(service)) {
      tellForeign(name, service);
      return;
    }
    foreign.delete(name);
    try {
      const caBundle = await o.caBundle();
      const isKept =
        apiService.spec?.caBundle === caBundle && apiService.spec?.insecureSkipTLSVerify !== true;
      if (caBundle === undefined || isKept || isStopped) return;
      await client.request({
        method: "PATCH",
        path: `${path}/${name}`,
        contentType: "application/merge-patch+json",
        // Never over a registration that has not been looked at.
        body: { metadata: { resourceVersion }, spec: { caBundle, insecureSkipTLSVerify: false } },
      });
      log.info({ apiService: name }, "published the CA of the serving certificate");
    } catch (error) {
      log.warn({ err: error, apiService: name }, "the CA of the serving certificate cannot be published yet");
      again(name, reflector);
    }
  }

  function again(name: string, reflector: Reflector<ApiService>): void {
    const cancel = clock.after(retryMs, () => {
      retries.delete(cancel);
      const current = reflector.store.get(undefined, name);
      if (current !== undefined && !isStopped) void settle(current, reflector);
    });
    retries.add(cancel);
  }

  function tellForeign(name: string, service: string): void {
    if (foreign.get(name) === service) return;
    foreign.set(name, service);
    log.warn({ apiService: name, service }, "an APIService belongs to another Service and is left alone");
  }

  return {
    start: () => {
      for (const reflector of reflectors) reflector.start();
    },
    stop: async () => {
      isStopped = true;
      for (const cancel of retries) cancel();
      await Promise.all(reflectors.map((reflector) => reflector.stop()));
    },
  };
}
