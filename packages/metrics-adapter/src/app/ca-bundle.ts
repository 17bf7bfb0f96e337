// The CA bundle of the serving certificate, written to APIServices.
import type { Clock, Logger } from "@plimsoll/component-base";
import { createReflector, type KubeClient, type KubeObject, type Reflector } from "@plimsoll/kube";

export interface CaBundlePublisherOptions {
  readonly client: KubeClient;
  /** Names of APIServices. */
  readonly apiServices: readonly string[];
  /** The names of the certificate; an APIService of another SERVICE.NAMESPACE.svc is left alone. */
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

/** Publishes the CA in spec.caBundle of APIServices, as long as they name this adapter's Service. */
export function createCaBundlePublisher(options: CaBundlePublisherOptions) {
  const { client, clock, log } = options;
  const retries = new Set<() => void>();
  const foreign = new Map<string, string>();
  let isStopped = false;

  const publish = async (apiService: ApiService): Promise<void> => {
    const { name, resourceVersion } = apiService.metadata;
    const caBundle = await options.caBundle();
    if (caBundle === undefined || isPublished(apiService, caBundle) || isStopped) return;
    await client.request({
      method: "PATCH",
      path: `${path}/${name}`,
      contentType: "application/merge-patch+json",
      // With its version: a registration that changed meanwhile is not overwritten.
      body: { metadata: { resourceVersion }, spec: { caBundle, insecureSkipTLSVerify: false } },
    });
    log.info({ apiService: name }, "published the CA of the serving certificate");
  };

  const retry = (name: string, reflector: Reflector<ApiService>): void => {
    const cancel = clock.after(retryMs, () => {
      retries.delete(cancel);
      const current = reflector.store.get(undefined, name);
      if (current !== undefined) void sync(current, reflector);
    });
    retries.add(cancel);
  };

  const sync = async (apiService: ApiService, reflector: Reflector<ApiService>): Promise<void> => {
    const { name } = apiService.metadata;
    const service = `${apiService.spec?.service?.name}.${apiService.spec?.service?.namespace}.svc`;
    if (!options.hosts.includes(service)) {
      if (foreign.get(name) === service) return;
      foreign.set(name, service);
      log.warn({ apiService: name, service }, "an APIService belongs to another Service and is left alone");
      return;
    }
    foreign.delete(name);
    try {
      await publish(apiService);
    } catch (error) {
      if (isStopped) return;
      log.warn({ err: error, apiService: name }, "cannot publish the serving certificate's CA yet");
      retry(name, reflector);
    }
  };

  const reflectors = options.apiServices.map((name) => follow(name, options, sync));
  return {
    start: (): void => {
      for (const reflector of reflectors) reflector.start();
    },
    stop: async (): Promise<void> => {
      isStopped = true;
      for (const cancel of retries) cancel();
      await Promise.all(reflectors.map((reflector) => reflector.stop()));
    },
  };
}

function isPublished({ spec }: ApiService, caBundle: string): boolean {
  return spec?.caBundle === caBundle && spec?.insecureSkipTLSVerify !== true;
}

/** One watch for each object: the role allows no more. */
function follow(
  name: string,
  { client, clock, log }: CaBundlePublisherOptions,
  sync: (apiService: ApiService, reflector: Reflector<ApiService>) => Promise<void>,
): Reflector<ApiService> {
  const reflector = createReflector<ApiService>({
    client,
    path,
    query: { fieldSelector: `metadata.name=${name}` },
    clock,
    onError: (error) => log.warn({ err: error, apiService: name }, "cannot watch an APIService"),
  });
  reflector.subscribe((change) => {
    if (change.type !== "deleted") void sync(change.object, reflector);
  });
  return reflector;
}
