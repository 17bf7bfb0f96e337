// The flags of the adapter. Names and defaults are prometheus-adapter's where it has the flag.
import { type FlagReader, section } from "@plimsoll/component-base/flags";
import { ignoredFlags } from "./ignored-flags.ts";

export const flags = {
  ...section("Rules and discovery", {
    config: { kind: "string", help: "Rules file, in prometheus-adapter's format. Required." },
    "metrics-relist-interval": {
      kind: "duration",
      default: "10m",
      help: "How often the series in Prometheus are listed again.",
    },
    "metrics-max-age": {
      kind: "duration",
      help: "A series exists if it has a sample within this time. Default, and minimum: the relist interval.",
    },
    "metrics-result-max-age": {
      kind: "duration",
      default: "5s",
      help: "Max age of cached data, by its samples' time; 0s queries Prometheus every time. Keep it within half of the scrape interval. Not an upstream flag.",
    },
    "lister-kubeconfig": {
      kind: "string",
      help: "Kubeconfig for reading pods, nodes and described objects. Default: KUBECONFIG, ~/.kube/config or in-cluster.",
    },
  }),
  ...section("Prometheus", {
    "prometheus-url": {
      kind: "string",
      default: "https://localhost",
      help: "URL of Prometheus; a path prefix is kept.",
    },
    "prometheus-verb": {
      kind: "string",
      default: "GET",
      choices: ["GET", "POST"],
      help: "HTTP verb of queries: GET or POST.",
    },
    "sources-config": {
      kind: "string",
      help: "File of further Prometheus-compatible servers, which rules name as their source. It is read again when it changes, and so are the files of secrets that it names. Not an upstream flag.",
    },
    "federation-config": {
      kind: "string",
      help: "File of other metrics adapters that requests are handed on to, for metrics that no rule of ours serves. Read at the start; the files of secrets that it names are read again when they change. Not an upstream flag.",
    },
    "federation-discovery-max-age": {
      kind: "duration",
      default: "1h",
      help: "For how long the list of metrics of such an adapter is used while it cannot be read again. Not an upstream flag.",
    },
    "prometheus-query-timeout": {
      kind: "duration",
      help: "How long a query may take at most. Default: what is left of the request's time, which is 60s unless the caller has less. Not an upstream flag.",
    },
    "prometheus-header": { kind: "pairs", help: "Header for each request to Prometheus. Repeatable." },
    "prometheus-token-file": {
      kind: "string",
      help: "File with the bearer token for Prometheus; read again when it changes.",
    },
    "prometheus-ca-file": { kind: "string", help: "CA bundle for the server certificate of Prometheus." },
    "prometheus-client-tls-cert-file": { kind: "string", help: "Client certificate for Prometheus." },
    "prometheus-client-tls-key-file": {
      kind: "string",
      help: "Key of the client certificate for Prometheus.",
    },
    "prometheus-auth-incluster": {
      kind: "bool",
      default: "false",
      help: "Connect to Prometheus with the pod's service account token and cluster CA.",
    },
    "prometheus-auth-config": {
      kind: "string",
      help: "Kubeconfig whose current user's credentials are used for Prometheus.",
    },
  }),
  ...section("MetricRules", {
    "metric-rules": {
      kind: "bool",
      default: "false",
      help: "Serve the MetricRules of all namespaces, and the queries of their WorkloadAutoscalers. Not an upstream flag.",
    },
    "metric-rule-namespace-label": {
      kind: "string",
      default: "namespace",
      help: "Label with the namespace of a series: each selector of a MetricRule gets a matcher of it. Not an upstream flag.",
    },
    "metric-rule-limit": {
      kind: "int",
      default: "50",
      help: "MetricRules of a namespace that are served, the oldest first, and as many queries of its WorkloadAutoscalers. Not an upstream flag.",
    },
  }),
  ...section("Serving", {
    "bind-address": { kind: "string", default: "0.0.0.0", help: "Address to listen on." },
    "secure-port": { kind: "int", default: "443", help: "HTTPS port; 0 takes a free one." },
    "cert-dir": {
      kind: "string",
      default: "apiserver.local.config/certificates",
      help: "Where the self-signed serving certificate is kept. Empty: only in memory.",
    },
    "tls-cert-file": {
      kind: "string",
      help: "Serving certificate, followed by its intermediates; reloaded on change.",
    },
    "tls-private-key-file": { kind: "string", help: "Key of the serving certificate." },
    "tls-sni-cert-key": {
      kind: "strings",
      help: "CERT,KEY or CERT,KEY:NAME,NAME for requests to other names. Repeatable.",
    },
    "tls-min-version": {
      kind: "string",
      default: "VersionTLS12",
      choices: ["VersionTLS12", "VersionTLS13"],
      help: "VersionTLS12 or VersionTLS13.",
    },
    "tls-cipher-suites": { kind: "strings", help: "Cipher suites of TLS 1.2, by Go's names." },
    "self-signed-cert-hosts": {
      kind: "strings",
      help: "Names and addresses for the self-signed certificate, beside localhost: SERVICE.NAMESPACE.svc lets an APIService trust it. Not an upstream flag.",
    },
    "self-signed-cert-secret": {
      kind: "string",
      help: "NAMESPACE/NAME of an existing Secret that keeps the self-signed certificate for all replicas, instead of --cert-dir. Not an upstream flag.",
    },
    "publish-ca-bundle-to": {
      kind: "strings",
      help: "APIServices whose caBundle is kept to that certificate's CA, while they name a Service of --self-signed-cert-hosts. Not an upstream flag.",
    },
    "permit-port-sharing": { kind: "bool", default: "false", help: "Listen with SO_REUSEPORT." },
    "disable-http2": { kind: "bool", default: "false", help: "HTTP/2 is never offered." },
    "max-requests-inflight": {
      kind: "int",
      default: "400",
      help: "Metric requests in flight; above that they get 429. Discovery and health are not counted.",
    },
    "shutdown-delay-duration": {
      kind: "duration",
      help: "How long to go on serving after SIGTERM while /readyz already fails. Default: 5s in a pod, else 0s. A pod's terminationGracePeriodSeconds has to be 25 s longer.",
    },
  }),
  ...section("Authentication", {
    "authentication-kubeconfig": {
      kind: "string",
      help: "Kubeconfig for TokenReviews and the authentication ConfigMap. Default: as for listing.",
    },
    "authentication-skip-lookup": {
      kind: "bool",
      default: "false",
      help: "Do not read kube-system/extension-apiserver-authentication.",
    },
    "authentication-tolerate-lookup-failure": {
      kind: "bool",
      default: "false",
      help: "Be ready without that ConfigMap; callers that it would authenticate are refused.",
    },
    "authentication-token-webhook-cache-ttl": {
      kind: "duration",
      default: "10s",
      help: "How long the result of a TokenReview is cached.",
    },
    "client-ca-file": {
      kind: "string",
      help: "CA bundle for client certificates, instead of the ConfigMap's.",
    },
    "requestheader-client-ca-file": {
      kind: "string",
      help: "CA bundle for front proxies, instead of the ConfigMap's.",
    },
    "requestheader-allowed-names": {
      kind: "strings",
      help: "Common names of front proxies; empty allows all that the CA signed.",
    },
    "requestheader-username-headers": {
      kind: "strings",
      default: "x-remote-user",
      help: "Headers with the user name.",
    },
    "requestheader-uid-headers": { kind: "strings", help: "Headers with the user's UID." },
    "requestheader-group-headers": {
      kind: "strings",
      default: "x-remote-group",
      help: "Headers with groups.",
    },
    "requestheader-extra-headers-prefix": {
      kind: "strings",
      default: "x-remote-extra-",
      help: "Prefixes of headers with further attributes.",
    },
  }),
  ...section("Authorization", {
    "authorization-kubeconfig": {
      kind: "string",
      help: "Kubeconfig for SubjectAccessReviews. Default: as for listing.",
    },
    "authorization-always-allow-paths": {
      kind: "strings",
      default: "/healthz,/readyz,/livez",
      help: "Paths that need no identity; a trailing * matches everything below.",
    },
    "authorization-webhook-cache-authorized-ttl": {
      kind: "duration",
      default: "60s",
      help: "How long a permission is cached. Upstream: 10s, less than the autoscaler's period of 15s.",
    },
    "authorization-webhook-cache-unauthorized-ttl": {
      kind: "duration",
      default: "10s",
      help: "How long a refusal is cached.",
    },
  }),
  ...section("Logging", {
    v: { kind: "int", default: "0", help: "Verbosity; from 6 on each request is logged." },
  }),
  ...ignoredFlags,
} as const;

export type FlagName = keyof typeof flags;
export type Flags = FlagReader<typeof flags>;
