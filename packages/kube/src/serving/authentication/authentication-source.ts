// The authentication configuration in force, from flags and cluster.
import type { KubeClient } from "../../client/client.ts";
import { type AuthenticationConfig, noAuthentication } from "./authentication-config.ts";
import { createClusterAuthentication } from "./cluster-authentication.ts";
import { createFileAuthentication, type FileAuthenticationOptions } from "./file-authentication.ts";

export interface AuthenticationSourceOptions extends Omit<FileAuthenticationOptions, "onChange"> {
  /** Undefined: the ConfigMap is not looked up. */
  readonly client: KubeClient | undefined;
}

/** Flags first; what they leave open comes from the cluster, and follows it without a restart. */
export function createAuthenticationSource(options: AuthenticationSourceOptions) {
  const { files, client } = options;
  let current = noAuthentication;
  const onChange = (): void => {
    const ofFiles = fromFiles.current();
    const ofCluster = fromCluster?.current();
    current = {
      clientCa: files.clientCaFile === undefined ? (ofCluster?.clientCa ?? []) : ofFiles.clientCa,
      requestHeader: files.requestHeader === undefined ? ofCluster?.requestHeader : ofFiles.requestHeader,
    };
  };
  const fromFiles = createFileAuthentication({ ...options, onChange });
  const fromCluster = client && createClusterAuthentication({ ...options, client, onChange });
  return {
    /** The current configuration; another object after each change. */
    current: (): AuthenticationConfig => current,
    /** Undefined when callers can be authenticated, else what is missing. */
    problem: (): string | undefined => fromCluster?.problem(),
    /** @throws Error when a file of the flags cannot be used. */
    start: async (): Promise<void> => {
      await fromFiles.start();
      onChange();
      fromCluster?.start();
    },
    stop: async (): Promise<void> => {
      fromFiles.stop();
      await fromCluster?.stop();
    },
  };
}
