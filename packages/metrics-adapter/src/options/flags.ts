// The flags of the adapter. Names and defaults are prometheus-adapter's where it has the flag.
import { type FlagReader, section } from "@plimsoll/component-base/flags";
import { ignoredFlags } from "./ignored-flags.ts";

export const flags = {
  ...section("Rules and discovery", {
    config: { kind: "string", help: "rules file, in prometheus-adapter's format (required)" },
    "metrics-relist-interval": {
      kind: "duration",
      default: "10m",
      help: "time between two lists of the series in Prometheus",
    },
    "metrics-max-age": {
      kind: "duration",
      help: "list series with a sample in this time (default and minimum: the relist interval)",
    },
    "metrics-list-timeout": {
      kind: "duration",
      default: "1m",
      help: "timeout of a list of series (not an upstream flag)",
    },
    "metrics-result-max-age": {
      kind: "duration",
      default: "5s",
      help: "maximum age of cached results; 0s queries Prometheus each time; use at most half of the scrape interval (not an upstream flag)",
    },
    "lister-kubeconfig": {
      kind: "string",
      help: "kubeconfig for reading pods, nodes, and described objects (default: KUBECONFIG, ~/.kube/config, or in-cluster)",
    },
  }),
  ...section("Prometheus", {
    "prometheus-url": {
      kind: "string",
      default: "https://localhost",
      help: "URL of Prometheus, with its path prefix",
    },
    "prometheus-proxy-url": {
      kind: "string",
      help: "HTTP proxy for Prometheus (default: HTTP_PROXY, HTTPS_PROXY, and NO_PROXY; not an upstream flag)",
    },
    "prometheus-verb": {
      kind: "string",
      default: "GET",
      choices: ["GET", "POST"],
      help: "HTTP verb of queries",
    },
    "sources-config": {
      kind: "string",
      help: "file of additional Prometheus servers that rules can use as source; reloaded when it changes (not an upstream flag)",
    },
    "federation-config": {
      kind: "string",
      help: "file of other metrics adapters, for metrics that no rule here provides; read at start (not an upstream flag)",
    },
    "federation-discovery-max-age": {
      kind: "duration",
      default: "1h",
      help: "how long discovery keeps the metrics of such an adapter while listing it fails (not an upstream flag)",
    },
    "prometheus-query-timeout": {
      kind: "duration",
      help: "timeout of a query (default: the rest of the request's time, at most 60s; not an upstream flag)",
    },
    "prometheus-header": { kind: "pairs", help: "header for requests to Prometheus; repeatable" },
    "prometheus-token-file": {
      kind: "string",
      help: "file with the bearer token for Prometheus; reloaded when it changes",
    },
    "prometheus-ca-file": { kind: "string", help: "CA bundle of Prometheus's certificate" },
    "prometheus-client-tls-cert-file": { kind: "string", help: "client certificate for Prometheus" },
    "prometheus-client-tls-key-file": {
      kind: "string",
      help: "key of that certificate",
    },
    "prometheus-auth-incluster": {
      kind: "bool",
      default: "false",
      help: "use the pod's service account token and cluster CA for Prometheus",
    },
    "prometheus-auth-config": {
      kind: "string",
      help: "kubeconfig with the credentials for Prometheus",
    },
  }),
  ...section("MetricRules", {
    "metric-rules": {
      kind: "bool",
      default: "false",
      help: "serve MetricRules and the queries of WorkloadAutoscalers (not an upstream flag)",
    },
    "metric-rule-namespace-label": {
      kind: "string",
      default: "namespace",
      help: "label with the namespace of a series; the adapter adds a matcher for it to each selector of a MetricRule (not an upstream flag)",
    },
    "metric-rule-limit": {
      kind: "int",
      default: "50",
      help: "maximum number of MetricRules per namespace, oldest first, and of queries per namespace (not an upstream flag)",
    },
  }),
  ...section("Live metrics", {
    "live-metrics": {
      kind: "bool",
      default: "false",
      help: "scrape pods for rules and queries that have live (not an upstream flag)",
    },
    "live-min-interval": {
      kind: "duration",
      default: "1s",
      help: "shortest time between two scrapes of a pod (not an upstream flag)",
    },
    "live-namespace-scrapes": {
      kind: "int",
      default: "200",
      help: "scrapes per second for one namespace; with more pods the interval grows (not an upstream flag)",
    },
    "live-scrapes": {
      kind: "int",
      default: "1000",
      help: "scrapes per second in all, shared fairly by namespace (not an upstream flag)",
    },
    "live-response-bytes": {
      kind: "int",
      default: "262144",
      help: "maximum size of a pod's page of metrics (not an upstream flag)",
    },
    "live-namespace-series": {
      kind: "int",
      default: "10000",
      help: "maximum number of series kept for one namespace (not an upstream flag)",
    },
    "live-pod-cidrs": {
      kind: "strings",
      help: "networks of the pods, such as 10.244.0.0/16; no other address is scraped. By default all but loopback, link-local and multicast addresses (not an upstream flag)",
    },
    "live-host-network": {
      kind: "bool",
      default: "false",
      help: "also scrape pods that use the network of their node (not an upstream flag)",
    },
    "live-ca-file": {
      kind: "string",
      help: "CA certificates for pods that are scraped by https (not an upstream flag)",
    },
    "live-insecure-skip-verify": {
      kind: "bool",
      default: "false",
      help: "accept any certificate of pods (not an upstream flag)",
    },
  }),
  ...section("Serving", {
    "bind-address": { kind: "string", default: "0.0.0.0", help: "address to listen on" },
    "secure-port": { kind: "int", default: "443", help: "HTTPS port; 0 picks a free port" },
    "cert-dir": {
      kind: "string",
      default: "apiserver.local.config/certificates",
      help: "directory of the self-signed certificate; empty keeps it in memory",
    },
    "tls-cert-file": {
      kind: "string",
      help: "serving certificate with its intermediates; reloaded when it changes",
    },
    "tls-private-key-file": { kind: "string", help: "key of the serving certificate" },
    "tls-sni-cert-key": {
      kind: "strings",
      help: "CERT,KEY or CERT,KEY:NAME,NAME for requests to other names; repeatable",
    },
    "tls-min-version": {
      kind: "string",
      default: "VersionTLS12",
      choices: ["VersionTLS12", "VersionTLS13"],
      help: "minimum version of TLS",
    },
    "tls-cipher-suites": { kind: "strings", help: "cipher suites of TLS 1.2, by Go's names" },
    "self-signed-cert-hosts": {
      kind: "strings",
      help: "additional names in the self-signed certificate; APIServices need SERVICE.NAMESPACE.svc (not an upstream flag)",
    },
    "self-signed-cert-secret": {
      kind: "string",
      help: "NAMESPACE/NAME of an existing Secret that keeps this certificate for all replicas, instead of --cert-dir (not an upstream flag)",
    },
    "publish-ca-bundle-to": {
      kind: "strings",
      help: "APIServices whose caBundle gets this certificate's CA, if they name a Service in --self-signed-cert-hosts (not an upstream flag)",
    },
    "permit-port-sharing": { kind: "bool", default: "false", help: "listen with SO_REUSEPORT" },
    "disable-http2": { kind: "bool", default: "false", help: "HTTP/2 is never offered" },
    "max-requests-inflight": {
      kind: "int",
      default: "400",
      help: "maximum concurrent metric requests, except discovery and health; others get 429",
    },
    "shutdown-delay-duration": {
      kind: "duration",
      help: "keep serving this long after SIGTERM, while /readyz fails; terminationGracePeriodSeconds must be 25 s longer (default: 5s in a pod, else 0s)",
    },
  }),
  ...section("Authentication", {
    "authentication-kubeconfig": {
      kind: "string",
      help: "kubeconfig for TokenReviews and the authentication ConfigMap (default: as --lister-kubeconfig)",
    },
    "authentication-skip-lookup": {
      kind: "bool",
      default: "false",
      help: "don't read the ConfigMap kube-system/extension-apiserver-authentication",
    },
    "authentication-tolerate-lookup-failure": {
      kind: "bool",
      default: "false",
      help: "be ready without that ConfigMap, and reject callers that need it",
    },
    "authentication-token-webhook-cache-ttl": {
      kind: "duration",
      default: "10s",
      help: "how long to cache a TokenReview",
    },
    "client-ca-file": {
      kind: "string",
      help: "CA bundle of client certificates, instead of the ConfigMap's",
    },
    "requestheader-client-ca-file": {
      kind: "string",
      help: "CA bundle of front proxies, instead of the ConfigMap's",
    },
    "requestheader-allowed-names": {
      kind: "strings",
      help: "common names of front proxies; empty allows every name that the CA signed",
    },
    "requestheader-username-headers": {
      kind: "strings",
      default: "x-remote-user",
      help: "headers with the user name",
    },
    "requestheader-uid-headers": { kind: "strings", help: "headers with the user's UID" },
    "requestheader-group-headers": {
      kind: "strings",
      default: "x-remote-group",
      help: "headers with groups",
    },
    "requestheader-extra-headers-prefix": {
      kind: "strings",
      default: "x-remote-extra-",
      help: "prefixes of headers with more attributes",
    },
  }),
  ...section("Authorization", {
    "authorization-kubeconfig": {
      kind: "string",
      help: "kubeconfig for SubjectAccessReviews (default: as --lister-kubeconfig)",
    },
    "authorization-always-allow-paths": {
      kind: "strings",
      default: "/healthz,/readyz,/livez",
      help: "paths that need no identity; a trailing * matches everything below",
    },
    "authorization-webhook-cache-authorized-ttl": {
      kind: "duration",
      default: "60s",
      help: "how long to cache a permission (upstream: 10s)",
    },
    "authorization-webhook-cache-unauthorized-ttl": {
      kind: "duration",
      default: "10s",
      help: "how long to cache a refusal",
    },
  }),
  ...section("Logging", {
    v: { kind: "int", default: "0", help: "verbosity; 6 and above log each request" },
  }),
  ...ignoredFlags,
} as const;

export type Flags = FlagReader<typeof flags>;
