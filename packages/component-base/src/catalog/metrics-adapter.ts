// PLM2000 to PLM2999: what the metrics adapter logs.
import type { CatalogEntry } from "./entry.ts";

export const metricsAdapterEntries: readonly CatalogEntry[] = [
  {
    code: "PLM2001",
    message: "engine failed to start",
    help: "Rules can't be evaluated: `err` says why. The liveness probe restarts the process.",
  },
  {
    code: "PLM2002",
    message: "listener failed",
    help: "The server's socket failed: `err` says why. The liveness probe restarts the process.",
  },
  {
    code: "PLM2010",
    message: "rule is probably not what you intended",
    help: "A rule is valid, but probably not what you intended. `plimsoll rules check FILE` reports the same.",
  },
  {
    code: "PLM2011",
    message: "new rules are rejected; keeping the old ones",
    help: "The previous configuration is still used: see [reload failed](troubleshooting.md#reload-failed).",
  },
  {
    code: "PLM2084",
    message: "a rule is left out",
    help: "A rule has the `problem`; others are served. `plimsoll rules check FILE` reports the same.",
  },
  {
    code: "PLM2012",
    message: "could not switch to the new rules",
    help: "The previous configuration is still used: see [reload failed](troubleshooting.md#reload-failed).",
  },
  {
    code: "PLM2013",
    message: "could not reload the credentials for Prometheus; keeping the old ones",
    help: "Mount the Secret again.",
  },
  {
    code: "PLM2014",
    message: "a source may be unsafe",
    help: "A source doesn't verify its server's certificate. Set `tls.caFile`, and remove `insecureSkipVerify`.",
  },
  {
    code: "PLM2015",
    message: "a backend may be unsafe",
    help: "A backend doesn't verify its server's certificate. Set `caBundleFile`, and remove `insecureSkipTLSVerify`.",
  },
  {
    code: "PLM2016",
    message: "new sources are rejected; keeping the old ones",
    help: "The previous configuration is still used: see [reload failed](troubleshooting.md#reload-failed).",
  },
  {
    code: "PLM2017",
    message: "this version of Node.js ignores HTTP proxies",
    help: "Requests to Prometheus don't use the proxy of `variables`. Run the adapter with Node.js 22.21, 24.5 or newer.",
  },
  {
    code: "PLM2020",
    message: "discovery failed for a rule",
    help: "Prometheus didn't list the series of a rule: see [metrics stale](troubleshooting.md#metrics-stale).",
  },
  {
    code: "PLM2021",
    message: "relisting failed",
    help: "No rule could be listed: see [metrics stale](troubleshooting.md#metrics-stale).",
  },
  {
    code: "PLM2022",
    message: "a rule needs attention",
    help: "The series don't match the rule: see `warning`. `plimsoll rules check FILE --against URL` reports the same.",
  },
  {
    code: "PLM2030",
    message: "objects are left out of a list",
    help: "Some objects have no usable value: see `cause`. Several series for one object: aggregate in the rule.",
  },
  {
    code: "PLM2031",
    message: "Prometheus returned a warning",
    help: "For example a partial result: see Prometheus's documentation.",
  },
  {
    code: "PLM2032",
    message: "samples of Prometheus are too old to be cached; check the clocks",
    help: "Synchronize the clocks, or set `--metrics-result-max-age` above half the scrape interval.",
  },
  {
    code: "PLM2033",
    message:
      "results are cached for longer than half of the shortest scrape interval; lower --metrics-result-max-age",
    help: "An autoscaler could act twice on one sample. Lower the flag.",
  },
  {
    code: "PLM2040",
    message: "cannot read the cluster's resources yet",
    help: "Discovery of the API server failed: `/readyz?verbose` says since when.",
  },
  {
    code: "PLM2041",
    message: "could not read the cluster's resources",
    help: "Discovery of the API server failed: the last result is used.",
  },
  {
    code: "PLM2042",
    message: "watching a resource failed",
    help: "Grant `list` and `watch` of the resource that a rule names.",
  },
  {
    code: "PLM2043",
    message: "cannot watch MetricRules",
    help: "The last known rules are used. Grant `get`, `list`, and `watch` of metricrules.autoscaling.plimsoll.dev.",
  },
  {
    code: "PLM2044",
    message: "cannot write the status of a MetricRule",
    help: "The rules are served, but their authors don't see mistakes. Grant `update` of metricrules/status.",
  },
  {
    code: "PLM2045",
    message: "cannot watch WorkloadAutoscalers; their queries are not served",
    help: "The last known queries are served. Grant `list` and `watch` of workloadautoscalers.autoscaling.plimsoll.dev.",
  },
  {
    code: "PLM2046",
    message: "a request to a source failed",
    help: "`err` says why, with the address: see [Prometheus fails](troubleshooting.md#prometheus-fails). Once a minute per source and kind.",
  },
  {
    code: "PLM2050",
    message: "an APIService belongs to another Service and is left alone",
    help: "Another adapter owns the API: see [foreign owner](troubleshooting.md#foreign-owner-of-an-apiservice).",
  },
  {
    code: "PLM2051",
    message: "cannot watch an APIService",
    help: "Grant `get` and `watch` of the APIService.",
  },
  {
    code: "PLM2052",
    message: "cannot publish the serving certificate's CA yet",
    help: "The API server doesn't trust the certificate yet. Grant `patch` of the APIService.",
  },
  {
    code: "PLM2060",
    message: "authentication configuration is not usable; keeping the old one",
    help: "The ConfigMap `extension-apiserver-authentication` is invalid: see [reload failed](troubleshooting.md#reload-failed).",
  },
  {
    code: "PLM2061",
    message: "cannot watch the authentication configuration; retrying",
    help: "Bind the Role `extension-apiserver-authentication-reader` in kube-system.",
  },
  {
    code: "PLM2062",
    message: "new client CA file is not usable; keeping the old one",
    help: "The file of `--client-ca-file` is invalid: see [reload failed](troubleshooting.md#reload-failed).",
  },
  {
    code: "PLM2063",
    message: "a query of a tenant timed out",
    help: "Failing queries of its namespace pause: see [queries paused](troubleshooting.md#queries-of-a-namespace-paused). Once in ten minutes per namespace.",
  },
  {
    code: "PLM2065",
    message: "series of Prometheus are too large and were left out",
    help: "Names or labels exceed 64 KiB: see `request` and `start`. Drop long labels in the scrape configuration.",
  },
  {
    code: "PLM2080",
    message: "backend returned no usable response",
    help: "A federated adapter failed: `reason` says why, and the caller gets 503. Once a minute per backend and kind.",
  },
  {
    code: "PLM2081",
    message: "cannot read the list of a backend",
    help: "The last list is used. `problem` says why: check that adapter's log, and our permission to read its group.",
  },
  {
    code: "PLM2082",
    message: "the list of a backend is too old and is no longer used",
    help: "Its metrics disappear from discovery. Repair that adapter, or remove it from the file.",
  },
  {
    code: "PLM2083",
    message: "cannot use a backend's files; keeping the old ones",
    help: "Mount the Secret or the ConfigMap again.",
  },
  {
    code: "PLM2095",
    message: "backends list too many metrics: some are served but missing from discovery",
    help: "Backends list over 20,000 metrics of one group. All are served; lists lack some.",
  },
  {
    code: "PLM2098",
    message: "a backend lists too many metrics: select some with match.metrics",
    help: "A backend lists over 10,000 metrics of a group. The first 10,000 that match are listed, and all that match are served. Set `match.metrics`.",
  },
];
