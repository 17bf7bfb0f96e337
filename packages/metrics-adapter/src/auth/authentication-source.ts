import type { Clock, KubeClient, KubeObject, Reflector } from "@plimsoll/kube";
import { createReflector } from "@plimsoll/kube";
import { createFilePoller, type FilePoller, type ReadText } from "@plimsoll/kube/serving";
import type { Logger } from "../logger.ts";
import {
  type AuthenticationConfig,
  noAuthentication,
  parseAuthenticationConfigMap,
  type RequestHeaderConfig,
} from "./authentication-config.ts";
import { type Certificate, parseCertificates } from "./certificates.ts";

/** What flags say instead of the ConfigMap. */
export interface StaticAuthentication {
  readonly clientCaFile: string | undefined;
  readonly requestHeader: (Omit<RequestHeaderConfig, "anchors"> & { readonly caFile: string }) | undefined;
}

export interface AuthenticationSourceOptions {
  readonly files: StaticAuthentication;
  /** Undefined: the ConfigMap is not looked up. */
  readonly client: KubeClient | undefined;
  readonly readText: ReadText;
  readonly pollIntervalMs: number;
  readonly clock: Clock;
  readonly log: Logger;
  readonly onReload: (outcome: "success" | "failure") => void;
}

export interface AuthenticationSource {
  /** The configuration in force; another object after each change. */
  current(): AuthenticationConfig;
  /** Undefined when callers can be authenticated, else what is missing. */
  problem(): string | undefined;
  /** @throws Error when a file of the flags cannot be used. */
  start(): Promise<void>;
  stop(): Promise<void>;
}

interface ConfigMap extends KubeObject {
  readonly data: Readonly<Record<string, string>>;
}

const configMap = { namespace: "kube-system", name: "extension-apiserver-authentication" };

/** Flags first; what they leave open comes from the cluster, and follows it without a restart. */
export function createAuthenticationSource(options: AuthenticationSourceOptions): AuthenticationSource {
  const { files, log } = options;
  let fromFiles: AuthenticationConfig = noAuthentication;
  let fromCluster: AuthenticationConfig | undefined;
  let current = noAuthentication;
  let problem: string | undefined = options.client === undefined ? undefined : lookupPending;

  const publish = (): void => {
    current = {
      clientCa: files.clientCaFile === undefined ? (fromCluster?.clientCa ?? []) : fromFiles.clientCa,
      requestHeader: files.requestHeader === undefined ? fromCluster?.requestHeader : fromFiles.requestHeader,
    };
  };

  const poller = createFilePoller({
    paths: [files.clientCaFile, files.requestHeader?.caFile].flatMap((path) => path ?? []),
    readText: options.readText,
    clock: options.clock,
    intervalMs: options.pollIntervalMs,
    log,
    onChange: (contents) => {
      try {
        fromFiles = readFiles(files, contents);
      } catch (error) {
        log.error({ err: error }, "new client CA file is not usable; keeping the old one");
        options.onReload("failure");
        return;
      }
      options.onReload("success");
      publish();
    },
  });

  const onData = (data: Readonly<Record<string, string>>): void => {
    const result = parseAuthenticationConfigMap(data);
    if (!result.ok) {
      const { problems } = result;
      log.error({ configMap, problems }, "authentication configuration is not usable; keeping the old one");
      problem = fromCluster === undefined ? `${lookupName} is not usable: ${problems.join("; ")}` : undefined;
      options.onReload("failure");
      return;
    }
    fromCluster = result.config;
    problem = undefined;
    log.info({ configMap, ...summary(result.config) }, "authentication configuration loaded");
    options.onReload("success");
    publish();
  };
  const onError = (error: unknown): void => {
    log.warn({ err: error, configMap }, "authentication configuration cannot be watched; retrying");
    if (fromCluster === undefined) {
      problem = `${lookupName} cannot be read: ${error instanceof Error ? error.message : String(error)}`;
    }
  };
  const { client, clock } = options;
  const reflector = client && lookup({ client, clock, onData, onError });

  return {
    current: () => current,
    problem: () => problem,
    start: async () => {
      await startFiles(poller, files, (config) => {
        fromFiles = config;
      });
      publish();
      reflector?.start();
    },
    stop: async () => {
      poller.stop();
      await reflector?.stop();
    },
  };
}

const lookupName = `ConfigMap ${configMap.namespace}/${configMap.name}`;
const lookupPending = `${lookupName} has not been read yet`;

interface Lookup {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly onData: (data: Readonly<Record<string, string>>) => void;
  readonly onError: (error: unknown) => void;
}

/** A deleted ConfigMap changes nothing: nobody is believed less for it, nor more. */
function lookup({ client, clock, onData, onError }: Lookup): Reflector<ConfigMap> {
  const reflector = createReflector<ConfigMap>({
    client,
    path: `/api/v1/namespaces/${configMap.namespace}/configmaps`,
    query: { fieldSelector: `metadata.name=${configMap.name}` },
    project: projectConfigMap,
    clock,
    onError,
  });
  reflector.subscribe((change) => {
    if (change.object.metadata.name === configMap.name && change.type !== "deleted") {
      onData(change.object.data);
    }
  });
  return reflector;
}

function projectConfigMap(raw: KubeObject): ConfigMap {
  const data = (raw as { readonly data?: unknown }).data;
  const entries = typeof data === "object" && data !== null ? Object.entries(data) : [];
  const strings = entries.filter((entry): entry is [string, string] => typeof entry[1] === "string");
  return { metadata: raw.metadata, data: Object.fromEntries(strings) };
}

async function startFiles(
  poller: FilePoller,
  files: StaticAuthentication,
  use: (config: AuthenticationConfig) => void,
): Promise<void> {
  use(readFiles(files, await poller.start()));
}

function readFiles(files: StaticAuthentication, contents: readonly string[]): AuthenticationConfig {
  const rest = [...contents];
  const next = (): readonly Certificate[] => parseCertificates(rest.shift() ?? "");
  const clientCa = files.clientCaFile === undefined ? [] : next();
  const headers = files.requestHeader;
  return { clientCa, requestHeader: headers === undefined ? undefined : { ...headers, anchors: next() } };
}

function summary(config: AuthenticationConfig): object {
  return {
    clientCas: config.clientCa.length,
    requestHeaderCas: config.requestHeader?.anchors.length ?? 0,
    allowedNames: config.requestHeader?.allowedNames,
  };
}
