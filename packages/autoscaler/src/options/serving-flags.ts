// The flags of the two listeners, and of what is kept for their callers.
import { section } from "@plimsoll/component-base/flags";

const alsoOf = "kube-controller-manager";

export const servingFlags = section("Serving", {
  "bind-address": {
    kind: "string",
    value: "ip",
    default: "127.0.0.1",
    help: "address of both ports",
    alsoOf,
  },
  port: {
    kind: "int",
    default: "8085",
    help: "plain HTTP without authentication: /healthz, /livez, /readyz, /metrics; series of objects only on a loopback address; 0 picks a free port",
  },
  "secure-port": {
    kind: "int",
    help: "HTTPS with authentication: the paths of --port, /apis/decisions/v1, and /apis/shadow/v1; 0 picks a free port (default: off)",
    alsoOf,
  },
  "tls-cert-file": {
    kind: "string",
    value: "path",
    help: "certificate of --secure-port, reloaded when it changes (default: self-signed at each start)",
    alsoOf,
  },
  "tls-private-key-file": { kind: "string", value: "path", help: "private key of --tls-cert-file", alsoOf },
  "self-signed-cert-hosts": {
    kind: "strings",
    value: "names",
    help: "additional hosts in the self-signed certificate, separated by commas",
  },
  "authorization-always-allow-paths": {
    kind: "strings",
    value: "paths",
    default: "/healthz,/livez,/readyz",
    help: "paths of --secure-port that need no token, separated by commas; a final * matches everything below",
    alsoOf,
  },
  "authentication-skip-lookup": {
    kind: "bool",
    default: "false",
    help: "accept only bearer tokens; don't read the ConfigMap kube-system/extension-apiserver-authentication, which names trusted client certificates",
    alsoOf,
  },
  "advertise-address": {
    kind: "string",
    value: "ip",
    help: "address of --secure-port for other replicas and port-forwards (default: --bind-address, or POD_IP if that is all addresses)",
  },
  "relay-token-file": {
    kind: "string",
    value: "path",
    help: "service account token (audience relay.autoscaling.plimsoll.dev) for reading decisions from the leader (default: /var/run/secrets/plimsoll/relay/token if it exists)",
  },
  "console-directory": {
    kind: "string",
    value: "directory",
    help: "serve the console in this folder at /console/ of --secure-port; in the images it is /usr/share/plimsoll/console (default: off)",
  },
  "insecure-decisions": {
    kind: "bool",
    default: "false",
    help: "also serve /apis/decisions/v1 and /apis/shadow/v1 on --port without authentication; only on a loopback address",
  },
  "insecure-metrics": {
    kind: "bool",
    default: "false",
    help: "also serve the series of objects (names, targets, and values of every namespace) at /metrics of --port without authentication, on any address",
  },
  "decision-history": {
    kind: "int",
    default: "20",
    help: "decisions kept for each autoscaler; fewer if all but the newest take over 8 MiB together",
  },
  "decision-inputs": {
    kind: "string",
    choices: ["newest", "none"],
    default: "newest",
    help: "keep the inputs of decisions for records and replay; none keeps traces only",
  },
  "record-inputs": {
    kind: "string",
    value: "directory",
    help: "write a record of each decision here, as gzipped JSON lines; the oldest are removed above --record-inputs-size",
  },
  "record-inputs-size": {
    kind: "int",
    value: "MiB",
    default: "1024",
    help: "maximum size of all files of --record-inputs, in MiB",
  },
  "object-metrics": {
    kind: "string",
    value: "auto|all|abnormal|none",
    choices: ["auto", "all", "abnormal", "none", "true", "false"],
    default: "auto",
    help: "series of each autoscaler at /metrics: all (about 2 kB), abnormal (mode, target, problems), or none; auto: all up to 2,000 autoscalers, then abnormal",
  },
});
