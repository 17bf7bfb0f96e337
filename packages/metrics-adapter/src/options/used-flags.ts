import { type Flag, flag } from "./flag.ts";

const rules = "Rules and discovery";
const prometheus = "Prometheus";
const serving = "Serving";
const authentication = "Authentication";
const authorization = "Authorization";

/** Flags with an effect. Names and defaults are prometheus-adapter's where it has the flag. */
export const usedFlags: readonly Flag[] = [
  flag(rules, "config", "string", { help: "Rules file, in prometheus-adapter's format. Required." }),
  flag(rules, "metrics-relist-interval", "duration", {
    fallback: "10m",
    help: "How often the series in Prometheus are listed again.",
  }),
  flag(rules, "metrics-max-age", "duration", {
    help: "How far back series count as existing. Default: the relist interval, which it must not undercut.",
  }),
  flag(rules, "metrics-result-max-age", "duration", {
    fallback: "5s",
    help: "How old the data of an answer may be, by its samples' time, when it is given again; 0s asks Prometheus every time. Keep it within half of the scrape interval. Not an upstream flag.",
  }),
  flag(rules, "lister-kubeconfig", "string", {
    help: "Kubeconfig for reading pods, nodes and described objects. Default: KUBECONFIG, ~/.kube/config or in-cluster.",
  }),

  flag(prometheus, "prometheus-url", "string", {
    fallback: "https://localhost",
    help: "URL of Prometheus; a path prefix is kept.",
  }),
  flag(prometheus, "prometheus-verb", "string", {
    fallback: "GET",
    help: "HTTP verb of queries: GET or POST.",
  }),
  flag(prometheus, "prometheus-header", "pairs", {
    help: "Header for each request to Prometheus. Repeatable.",
  }),
  flag(prometheus, "prometheus-token-file", "string", {
    help: "File with the bearer token for Prometheus; read again when it changes.",
  }),
  flag(prometheus, "prometheus-ca-file", "string", {
    help: "CA bundle for the server certificate of Prometheus.",
  }),
  flag(prometheus, "prometheus-client-tls-cert-file", "string", {
    help: "Client certificate for Prometheus.",
  }),
  flag(prometheus, "prometheus-client-tls-key-file", "string", {
    help: "Key of the client certificate for Prometheus.",
  }),
  flag(prometheus, "prometheus-auth-incluster", "bool", {
    fallback: "false",
    help: "Talk to Prometheus with the pod's service account token and cluster CA.",
  }),
  flag(prometheus, "prometheus-auth-config", "string", {
    help: "Kubeconfig whose current user's credentials are used for Prometheus.",
  }),

  flag(serving, "bind-address", "string", { fallback: "0.0.0.0", help: "Address to listen on." }),
  flag(serving, "secure-port", "int", { fallback: "443", help: "HTTPS port; 0 takes a free one." }),
  flag(serving, "cert-dir", "string", {
    fallback: "apiserver.local.config/certificates",
    help: "Where the self-signed serving certificate is kept. Empty: only in memory.",
  }),
  flag(serving, "tls-cert-file", "string", {
    help: "Serving certificate, followed by its intermediates; reloaded on change.",
  }),
  flag(serving, "tls-private-key-file", "string", { help: "Key of the serving certificate." }),
  flag(serving, "tls-sni-cert-key", "strings", {
    help: "CERT,KEY or CERT,KEY:NAME,NAME for requests to other names. Repeatable.",
  }),
  flag(serving, "tls-min-version", "string", {
    fallback: "VersionTLS12",
    help: "VersionTLS12 or VersionTLS13.",
  }),
  flag(serving, "tls-cipher-suites", "strings", { help: "Cipher suites of TLS 1.2, by Go's names." }),
  flag(serving, "self-signed-cert-hosts", "strings", {
    help: "Names and addresses for the self-signed certificate, beside localhost: SERVICE.NAMESPACE.svc lets an APIService trust it. Not an upstream flag.",
  }),
  flag(serving, "self-signed-cert-secret", "string", {
    help: "NAMESPACE/NAME of an existing Secret that keeps the self-signed certificate for all replicas, instead of --cert-dir. Not an upstream flag.",
  }),
  flag(serving, "publish-ca-bundle-to", "strings", {
    help: "APIServices whose caBundle is kept to that certificate's CA, while they name a Service of --self-signed-cert-hosts. Not an upstream flag.",
  }),
  flag(serving, "permit-port-sharing", "bool", { fallback: "false", help: "Listen with SO_REUSEPORT." }),
  flag(serving, "disable-http2", "bool", {
    fallback: "false",
    effect: "moot",
    help: "HTTP/2 is never offered.",
  }),
  flag(serving, "max-requests-inflight", "int", {
    fallback: "400",
    help: "Metric requests worked on at once; more get 429. Discovery and health are not counted.",
  }),
  flag(serving, "shutdown-delay-duration", "duration", {
    help: "How long to go on serving after SIGTERM while /readyz already fails. Default: 5s in a pod, else 0s.",
  }),

  flag(authentication, "authentication-kubeconfig", "string", {
    help: "Kubeconfig for TokenReviews and the authentication ConfigMap. Default: as for listing.",
  }),
  flag(authentication, "authentication-skip-lookup", "bool", {
    fallback: "false",
    help: "Do not read kube-system/extension-apiserver-authentication.",
  }),
  flag(authentication, "authentication-tolerate-lookup-failure", "bool", {
    fallback: "false",
    help: "Be ready without that ConfigMap; callers that it would authenticate are refused.",
  }),
  flag(authentication, "authentication-token-webhook-cache-ttl", "duration", {
    fallback: "10s",
    help: "How long a TokenReview's answer is used.",
  }),
  flag(authentication, "client-ca-file", "string", {
    help: "CA bundle for client certificates, instead of the ConfigMap's.",
  }),
  flag(authentication, "requestheader-client-ca-file", "string", {
    help: "CA bundle for front proxies, instead of the ConfigMap's.",
  }),
  flag(authentication, "requestheader-allowed-names", "strings", {
    help: "Common names of front proxies; empty allows all that the CA signed.",
  }),
  flag(authentication, "requestheader-username-headers", "strings", {
    fallback: "x-remote-user",
    help: "Headers with the user name.",
  }),
  flag(authentication, "requestheader-uid-headers", "strings", { help: "Headers with the user's UID." }),
  flag(authentication, "requestheader-group-headers", "strings", {
    fallback: "x-remote-group",
    help: "Headers with groups.",
  }),
  flag(authentication, "requestheader-extra-headers-prefix", "strings", {
    fallback: "x-remote-extra-",
    help: "Prefixes of headers with further attributes.",
  }),

  flag(authorization, "authorization-kubeconfig", "string", {
    help: "Kubeconfig for SubjectAccessReviews. Default: as for listing.",
  }),
  flag(authorization, "authorization-always-allow-paths", "strings", {
    fallback: "/healthz,/readyz,/livez",
    help: "Paths that need no identity; a trailing * stands for everything below.",
  }),
  flag(authorization, "authorization-webhook-cache-authorized-ttl", "duration", {
    fallback: "60s",
    help: "How long a permission is remembered. Upstream: 10s, less than the autoscaler's period of 15s.",
  }),
  flag(authorization, "authorization-webhook-cache-unauthorized-ttl", "duration", {
    fallback: "10s",
    help: "How long a refusal is remembered.",
  }),

  flag("Logging", "v", "int", { fallback: "0", help: "Verbosity; from 6 on each request is logged." }),
];
