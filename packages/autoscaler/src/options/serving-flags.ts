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
    help: "plain HTTP: /healthz, /livez, /readyz and /metrics, without authentication; 0 picks a free one",
  },
  "secure-port": {
    kind: "int",
    help: "HTTPS: the same and /apis/decisions/v1 and /apis/shadow/v1, for callers with a client certificate or a bearer token who may get or list the objects; 0 picks a free one; not served when absent",
    alsoOf,
  },
  "tls-cert-file": {
    kind: "string",
    value: "path",
    help: "certificate of --secure-port, read again when it changes; one is made at each start when absent",
    alsoOf,
  },
  "tls-private-key-file": { kind: "string", value: "path", help: "the key of --tls-cert-file", alsoOf },
  "self-signed-cert-hosts": {
    kind: "strings",
    value: "names",
    help: "names and addresses, separated by commas, that a certificate made at the start is valid for, beside localhost and the host's name",
  },
  "authorization-always-allow-paths": {
    kind: "strings",
    value: "paths",
    default: "/healthz,/livez,/readyz",
    help: "paths of --secure-port that need no token, separated by commas; everything below where one ends in *",
    alsoOf,
  },
  "authentication-skip-lookup": {
    kind: "bool",
    default: "false",
    help: "do not read the ConfigMap kube-system/extension-apiserver-authentication, which says which client certificates and front proxies to trust; only bearer tokens are then accepted",
    alsoOf,
  },
  "advertise-address": {
    kind: "string",
    value: "ip",
    help: "address at which other replicas and port-forwards reach --secure-port, written into the lease; --bind-address when absent, and where that is all addresses, POD_IP or the first of the machine",
  },
  "relay-token-file": {
    kind: "string",
    value: "path",
    help: "projected service account token with the audience relay.autoscaling.plimsoll.dev, by which a replica that owns no lease gets decisions from the one that does; /var/run/secrets/plimsoll/relay/token when that exists",
  },
  "console-directory": {
    kind: "string",
    value: "directory",
    help: "serve the page of the console that is built there at /console/ of --secure-port; the files are public, what the page reads needs a token and its rights; images have it at /usr/share/plimsoll/console; not served when absent",
  },
  "insecure-decisions": {
    kind: "bool",
    default: "false",
    help: "serve /apis/decisions/v1 and /apis/shadow/v1 on --port too, without authentication; only on a loopback address",
  },
  "decision-history": {
    kind: "int",
    default: "20",
    help: "decisions kept per object and served at /apis/decisions/v1; fewer where all but the newest of all objects together take more than 8 MiB",
  },
  "decision-inputs": {
    kind: "string",
    choices: ["newest", "none"],
    default: "newest",
    help: "keep the inputs of decisions, the newest always and older ones within --decision-history, so that records can be read and replayed; none keeps traces only",
  },
  "record-inputs": {
    kind: "string",
    value: "directory",
    help: "write a record of each decision there, as lines of JSON in files compressed with gzip; the oldest are removed above --record-inputs-size",
  },
  "record-inputs-size": {
    kind: "int",
    value: "MiB",
    default: "1024",
    help: "size of all files of --record-inputs together, in MiB",
  },
  "object-metrics": {
    kind: "string",
    value: "auto|all|abnormal|none",
    choices: ["auto", "all", "abnormal", "none", "true", "false"],
    default: "auto",
    help: "series of single objects at /metrics, beside their desired replicas: all of them, about 2 kB an object; or abnormal, which are its mode and target, and what needs attention, such as a condition of a failure or a metric that cannot be read; auto is all for at most 2,000 objects, and abnormal for more; true is all, and false none",
  },
});
