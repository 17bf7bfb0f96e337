import type { KubeClient } from "./client.ts";

export interface ConnectOptions {
  /** Path of a kubeconfig; without it KUBECONFIG, ~/.kube/config, or the service account of the pod. */
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly userAgent: string;
}

export function connect(o: ConnectOptions): Promise<KubeClient> {
  return Promise.reject(new Error(`not yet: ${o.userAgent}`));
}
