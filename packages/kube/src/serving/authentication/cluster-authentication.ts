// Authentication as kube-system/extension-apiserver-authentication says it.
import { type Clock, type Logger, messageOf } from "@plimsoll/component-base";
import type { KubeClient } from "../../client/client.ts";
import type { KubeObject } from "../../objects/object.ts";
import { createReflector } from "../../watch/reflector.ts";
import { type AuthenticationConfig, parseAuthenticationConfigMap } from "./authentication-config.ts";

export interface ClusterAuthenticationOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly log: Logger;
  readonly onReload: (outcome: "success" | "failure") => void;
  /** Called after each change. */
  readonly onChange: () => void;
}

interface ConfigMap extends KubeObject {
  readonly data: Readonly<Record<string, string>>;
}

const configMap = { namespace: "kube-system", name: "extension-apiserver-authentication" };
const source = `ConfigMap ${configMap.namespace}/${configMap.name}`;

/** The authentication that the cluster publishes, followed by a watch. Deleting the ConfigMap changes nothing. */
export function createClusterAuthentication(options: ClusterAuthenticationOptions) {
  const { client, clock, log, onReload, onChange } = options;
  let current: AuthenticationConfig | undefined;
  let problem: string | undefined = `${source} has not been read yet`;

  const use = (data: Readonly<Record<string, string>>): void => {
    const result = parseAuthenticationConfigMap(data);
    if (!result.ok) {
      const { problems } = result;
      log.error({ configMap, problems }, "authentication configuration is not usable; keeping the old one");
      problem = current === undefined ? `${source} is not usable: ${problems.join("; ")}` : undefined;
      onReload("failure");
      return;
    }
    current = result.config;
    problem = undefined;
    log.info({ configMap, ...summary(result.config) }, "authentication configuration loaded");
    onReload("success");
    onChange();
  };
  const reflector = createReflector<ConfigMap>({
    client,
    path: `/api/v1/namespaces/${configMap.namespace}/configmaps`,
    query: { fieldSelector: `metadata.name=${configMap.name}` },
    project: projectConfigMap,
    clock,
    onError: (error) => {
      log.warn({ err: error, configMap }, "cannot watch the authentication configuration; retrying");
      if (current !== undefined) return;
      problem = `${source} cannot be read: ${messageOf(error)}`;
    },
  });
  reflector.subscribe(({ type, object }) => {
    if (object.metadata.name === configMap.name && type !== "deleted") use(object.data);
  });
  return {
    /** Undefined until the ConfigMap was read. */
    current: (): AuthenticationConfig | undefined => current,
    /** Why there is no configuration; undefined when there is one. */
    problem: (): string | undefined => problem,
    start: () => reflector.start(),
    stop: (): Promise<void> => reflector.stop(),
  };
}

function projectConfigMap(raw: KubeObject): ConfigMap {
  const data = (raw as { readonly data?: unknown }).data;
  const entries = typeof data === "object" && data !== null ? Object.entries(data) : [];
  const strings = entries.filter((entry): entry is [string, string] => typeof entry[1] === "string");
  return { metadata: raw.metadata, data: Object.fromEntries(strings) };
}

function summary(config: AuthenticationConfig): object {
  return {
    clientCas: config.clientCa.length,
    requestHeaderCas: config.requestHeader?.anchors.length ?? 0,
    allowedNames: config.requestHeader?.allowedNames,
  };
}
