// Where the values of prometheus-adapter's chart (5.3.0) are in the chart of Plimsoll.

/** What becomes of a value. */
export type Place =
  /** The map that holds it there; its own name stays. */
  | { readonly below: readonly string[] }
  /** There is nothing like it; `note` where something may be missed. */
  | { readonly note: { readonly message: string; readonly remedy: string } | undefined };

const ofOldImage = "registry.k8s.io/prometheus-adapter/prometheus-adapter";
const unlost: Place = { note: undefined };
const top: Place = { below: [] };
const adapter: Place = { below: ["adapter"] };

/** Values that move as they are. */
const wholes: Readonly<Record<string, Place>> = {
  ...all(["nameOverride", "fullnameOverride", "namespaceOverride", "customLabels", "customAnnotations"], top),
  ...all(["extraManifests", "global"], top),
  ...all(["replicas", "logLevel", "metricsRelistInterval", "listenPort", "resources"], adapter),
  ...all(["env", "extraArguments", "extraVolumes", "extraVolumeMounts", "extraContainers"], adapter),
  ...all(["deploymentAnnotations", "podAnnotations", "podLabels"], adapter),
  ...all(["podSecurityContext", "securityContext", "automountServiceAccountToken"], adapter),
  ...all(["livenessProbe", "readinessProbe", "startupProbe", "strategy", "revisionHistoryLimit"], adapter),
  ...all(["dnsPolicy", "dnsConfig"], adapter),
  ...all(["nodeSelector", "affinity", "tolerations", "topologySpreadConstraints"], adapter),
  priorityClassName: adapter,
};

/** Values whose fields are looked at one by one. */
const parts: Readonly<Record<string, Readonly<Record<string, Place | ((value: unknown) => Place)>>>> = {
  prometheus: all(["url", "port", "path"], { below: ["prometheus"] }),
  rules: all(["default", "custom", "existing", "external", "resource"], { below: ["rules"] }),
  image: {
    ...all(["pullPolicy", "pullSecrets"], { below: ["adapter", "image"] }),
    repository: (value) =>
      value === ofOldImage
        ? unlost
        : leftOut(
            "it is the image of another program; for a mirror set adapter.image.repository to metrics-adapter there",
          ),
    tag: unlost,
  },
  rbac: {
    create: { below: ["adapter", "rbac"] },
    useAuthReaderClusterRole: (value) =>
      value === true
        ? leftOut("the chart binds the Role extension-apiserver-authentication-reader in kube-system")
        : unlost,
    externalMetrics: roleOfReaders,
    customMetrics: roleOfReaders,
  },
  serviceAccount: all(["create", "name", "annotations", "automountServiceAccountToken"], {
    below: ["adapter", "serviceAccount"],
  }),
  service: {
    ...all(["annotations", "port", "type", "ipDualStack"], { below: ["adapter", "service"] }),
    clusterIP: leftOut("the address belongs to the Service of the old release; nothing needs a fixed one"),
  },
  tls: all(["enable", "ca", "key", "certificate"], { below: ["adapter", "tls"] }),
  certManager: all(
    ["enabled", "caCertDuration", "certDuration", "caCertRevisionHistoryLimit", "certRevisionHistoryLimit"],
    { below: ["adapter", "certManager"] },
  ),
  hostNetwork: all(["enabled"], { below: ["adapter", "hostNetwork"] }),
  podDisruptionBudget: all(["enabled", "minAvailable", "maxUnavailable", "unhealthyPodEvictionPolicy"], {
    below: ["adapter", "podDisruptionBudget"],
  }),
};

function all(names: readonly string[], place: Place): Readonly<Record<string, Place>> {
  return Object.fromEntries(names.map((name) => [name, place]));
}

function leftOut(remedy: string): Place {
  return { note: { message: "is left out", remedy } };
}

/** A role that the old chart binds to its own service account, which reads no metrics. */
function roleOfReaders(value: unknown): Place {
  const { resources = ["*"] } = (value ?? {}) as { readonly resources?: unknown };
  return JSON.stringify(resources) === '["*"]'
    ? unlost
    : leftOut("it was granted to the adapter itself; grant the metrics APIs to their readers");
}

/** The fields of a value are moved one by one. */
export function hasParts(key: string): boolean {
  return Object.hasOwn(parts, key);
}

/** Of a value, or of a field of one that has parts; undefined where prometheus-adapter's chart has no such value. */
export function placeOf(key: string, field: string | undefined, value: unknown): Place | undefined {
  const places = field === undefined ? wholes : parts[key];
  const name = field ?? key;
  if (places === undefined || !Object.hasOwn(places, name)) return undefined;
  const place = places[name];
  return typeof place === "function" ? place(value) : place;
}
