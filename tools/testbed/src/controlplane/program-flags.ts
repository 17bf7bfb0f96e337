// Command lines of etcd, kube-apiserver and kube-controller-manager.
import { join } from "node:path";
import { frontProxyName, type IdentityFiles } from "./identity.ts";

export function etcdFlags(options: {
  folder: string;
  clientUrl: string;
  peerPort: number;
}): readonly string[] {
  return [
    `--data-dir=${options.folder}`,
    `--listen-client-urls=${options.clientUrl}`,
    `--advertise-client-urls=${options.clientUrl}`,
    `--listen-peer-urls=http://127.0.0.1:${options.peerPort}`,
    "--unsafe-no-fsync",
    "--log-level=info",
  ];
}

export function apiServerFlags(options: {
  readonly folder: string;
  readonly identity: IdentityFiles;
  readonly etcdUrl: string;
  readonly port: number;
  readonly audit: { readonly policy: string; readonly log: string } | undefined;
  /** Where cluster IPs come from. */
  readonly serviceRange: string;
}): readonly string[] {
  const { audit, identity } = options;
  return [
    ...(audit === undefined ? [] : [`--audit-policy-file=${audit.policy}`, `--audit-log-path=${audit.log}`]),
    `--etcd-servers=${options.etcdUrl}`,
    "--bind-address=127.0.0.1",
    `--secure-port=${options.port}`,
    // Endpoints must not be on loopback, and no client here needs those of the API server.
    "--endpoint-reconciler-type=none",
    `--service-cluster-ip-range=${options.serviceRange}`,
    `--cert-dir=${join(options.folder, "apiserver")}`,
    `--tls-cert-file=${identity.serving.cert}`,
    `--tls-private-key-file=${identity.serving.key}`,
    `--client-ca-file=${identity.ca}`,
    "--authorization-mode=RBAC",
    "--service-account-issuer=https://kubernetes.default.svc",
    `--service-account-key-file=${identity.serviceAccounts.publicKey}`,
    `--service-account-signing-key-file=${identity.serviceAccounts.key}`,
    `--proxy-client-cert-file=${identity.frontProxy.cert}`,
    `--proxy-client-key-file=${identity.frontProxy.key}`,
    `--requestheader-client-ca-file=${identity.frontProxyCa}`,
    `--requestheader-allowed-names=${frontProxyName}`,
    "--requestheader-username-headers=X-Remote-User",
    "--requestheader-group-headers=X-Remote-Group",
    "--requestheader-extra-headers-prefix=X-Remote-Extra-",
    "--profiling=false",
  ];
}

export function controllerManagerFlags(options: {
  readonly folder: string;
  readonly identity: IdentityFiles;
  readonly kubeconfig: string;
  readonly port: number;
}): readonly string[] {
  return [
    `--kubeconfig=${options.kubeconfig}`,
    `--authentication-kubeconfig=${options.kubeconfig}`,
    `--authorization-kubeconfig=${options.kubeconfig}`,
    `--cert-dir=${options.folder}`,
    "--bind-address=127.0.0.1",
    `--secure-port=${options.port}`,
    `--root-ca-file=${options.identity.ca}`,
    `--service-account-private-key-file=${options.identity.serviceAccounts.key}`,
    // Each controller then has the rights of its own bootstrap role, as in a real cluster.
    "--use-service-account-credentials=true",
    "--leader-elect=false",
    "--kube-api-qps=500",
    "--kube-api-burst=1000",
    "--profiling=false",
  ];
}

/** The controllers that make Deployments and StatefulSets into pods and clean up after them. */
export const workloadControllers = [
  "deployment-controller",
  "replicaset-controller",
  "replicationcontroller-controller",
  "statefulset-controller",
  "garbage-collector-controller",
  "namespace-controller",
  "serviceaccount-controller",
  "root-ca-certificate-publisher-controller",
  "clusterrole-aggregation-controller",
] as const;

export const hpaController = "horizontal-pod-autoscaler-controller";
