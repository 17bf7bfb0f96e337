// PLM2000 to PLM2999: what the metrics adapter logs.
import type { CatalogEntry } from "./entry.ts";

export const metricsAdapterEntries: readonly CatalogEntry[] = [
  {
    code: "PLM2001",
    message: "engine failed to start",
    meaning: "Rules cannot be evaluated; the process is not ready, and its liveness probe ends it.",
    remedy: "`err` says why",
  },
  {
    code: "PLM2002",
    message: "listener failed",
    meaning: "The server's socket failed after it was open.",
    remedy: "`err` says why; the liveness probe ends the process",
  },
  {
    code: "PLM2010",
    message: "rule may not do what it seems to",
    meaning: "A rule is valid, but probably not what you meant.",
    remedy: "`npm run -s plimsoll -- rules check FILE` reports the same before a file is deployed",
  },
  {
    code: "PLM2011",
    message: "new rules are not used",
    meaning: "The rules file changed and has a problem; the former rules are used.",
    remedy: "see [reload failed](troubleshooting.md#reload-failed)",
  },
  {
    code: "PLM2012",
    message: "new rules could not be taken into use",
    meaning: "The rules file changed and could not be read or applied; the former rules are used.",
    remedy: "see [reload failed](troubleshooting.md#reload-failed)",
  },
  {
    code: "PLM2013",
    message: "credentials for Prometheus could not be read again; keeping the old ones",
    meaning: "The file of a token or a certificate for Prometheus cannot be read.",
    remedy: "mount the Secret again",
  },
  {
    code: "PLM2014",
    message: "a source may not be safe to use",
    meaning: "A source of `--sources-config` does not check the certificate of its server.",
    remedy: "name its CA in `tls.caFile`, and remove `insecureSkipVerify`",
  },
  {
    code: "PLM2015",
    message: "a backend may not be safe to use",
    meaning: "A backend of `--federation-config` does not check the certificate of its server.",
    remedy: "name its CA in `caBundleFile`, and remove `insecureSkipTLSVerify`",
  },
  {
    code: "PLM2016",
    message: "new sources are not used",
    meaning:
      "The file of sources changed and has a problem, or rules in use need a source that it lacks; the former sources are used.",
    remedy: "see [reload failed](troubleshooting.md#reload-failed)",
  },
  {
    code: "PLM2020",
    message: "discovery failed for a rule",
    meaning: "Prometheus did not list the series of a rule; the metrics of its last listing are served.",
    remedy: "see [metrics stale](troubleshooting.md#metrics-stale)",
  },
  {
    code: "PLM2021",
    message: "relisting failed",
    meaning: "No rule could be listed; the metrics of the last listing are served.",
    remedy: "see [metrics stale](troubleshooting.md#metrics-stale)",
  },
  {
    code: "PLM2022",
    message: "a rule needs attention",
    meaning: "The series in Prometheus do not match the rule.",
    remedy: "`warning` has the details; `npm run -s plimsoll -- rules check` reports the same",
  },
  {
    code: "PLM2030",
    message: "objects are left out of a list",
    meaning: "Some objects of a list have no usable value.",
    remedy:
      "`cause` says why: several series for one object (aggregate in the rule), or a query that Prometheus refused for one namespace",
  },
  {
    code: "PLM2031",
    message: "Prometheus returned a warning",
    meaning: "Prometheus returned a warning, for instance about a partial result.",
    remedy: "the warning is Prometheus's own: see its documentation",
  },
  {
    code: "PLM2032",
    message: "samples of Prometheus are too old to be cached; check the clocks",
    meaning: "Samples are older than the max age when they arrive, so that no result is cached.",
    remedy: "set the clocks, or `--metrics-result-max-age` above half of the scrape interval",
  },
  {
    code: "PLM2033",
    message:
      "results are cached for longer than half of the shortest scrape interval; lower --metrics-result-max-age",
    meaning: "An autoscaler could act twice on one sample.",
    remedy: "lower `--metrics-result-max-age`",
  },
  {
    code: "PLM2040",
    message: "the cluster's resources cannot be read yet",
    meaning: "Discovery of the API server failed at the start.",
    remedy:
      "see whether the API server is away, or discovery is not allowed; `/readyz?verbose` says since when",
  },
  {
    code: "PLM2041",
    message: "reading the cluster's resources failed",
    meaning: "Discovery of the API server failed; its last result is used.",
    remedy:
      "see whether the API server is away, or discovery is not allowed; `/readyz?verbose` says since when",
  },
  {
    code: "PLM2042",
    message: "watching a resource failed",
    meaning: "Objects that a rule names cannot be listed or watched.",
    remedy: "grant the permission to list and watch the resource",
  },
  {
    code: "PLM2043",
    message: "MetricRules cannot be watched",
    meaning: "The rules that were read last are in force; before the first list there are none.",
    remedy: "grant the permissions to get, list and watch metricrules.autoscaling.plimsoll.dev",
  },
  {
    code: "PLM2044",
    message: "the status of a MetricRule cannot be written",
    meaning: "Rules are served all the same; their authors do not see what is wrong with them.",
    remedy: "grant the permission to update metricrules/status",
  },
  {
    code: "PLM2045",
    message: "WorkloadAutoscalers cannot be watched; their queries are not served",
    meaning:
      "Queries that were read before are served; before the first list there are none, and their objects do not scale by them. MetricRules and the rules file are served all the same.",
    remedy: "grant the permissions to list and watch workloadautoscalers.autoscaling.plimsoll.dev",
  },
  {
    code: "PLM2050",
    message: "an APIService belongs to another Service and is left alone",
    meaning: "Another metrics adapter owns the API.",
    remedy: "see [foreign owner](troubleshooting.md#foreign-owner-of-an-apiservice)",
  },
  {
    code: "PLM2051",
    message: "an APIService cannot be watched",
    meaning: "Changes of the APIService are not seen.",
    remedy: "grant the permissions to get and watch it",
  },
  {
    code: "PLM2052",
    message: "the CA of the serving certificate cannot be published yet",
    meaning: "The API server does not trust the serving certificate until its CA is in the APIService.",
    remedy: "grant the permission to patch it",
  },
  {
    code: "PLM2060",
    message: "authentication configuration is not usable; keeping the old one",
    meaning: "The ConfigMap `extension-apiserver-authentication` changed and cannot be used.",
    remedy: "see [reload failed](troubleshooting.md#reload-failed)",
  },
  {
    code: "PLM2061",
    message: "authentication configuration cannot be watched; retrying",
    meaning: "The ConfigMap `extension-apiserver-authentication` in kube-system cannot be read.",
    remedy: "add the RoleBinding to `extension-apiserver-authentication-reader` in kube-system",
  },
  {
    code: "PLM2062",
    message: "new client CA file is not usable; keeping the old one",
    meaning: "The file of `--client-ca-file` changed and cannot be used.",
    remedy: "see [reload failed](troubleshooting.md#reload-failed)",
  },
  {
    code: "PLM2080",
    message: "a backend gave no answer to hand on",
    meaning:
      "A federated adapter could not be reached, was too slow, or answered what is not handed on; the caller got 503. Logged once a minute for each backend and kind.",
    remedy: "`reason` says why; see the log and the certificate of that adapter",
  },
  {
    code: "PLM2081",
    message: "the list of a backend cannot be read",
    meaning: "Discovery of a federated adapter failed; its last list is used.",
    remedy:
      "`problem` says why; see that adapter's log, and the right of our service account to read its group",
  },
  {
    code: "PLM2082",
    message: "the list of a backend is too old and is no longer used",
    meaning:
      "Discovery of a federated adapter has failed for longer than the max age; metrics that are found by its list alone are no longer served.",
    remedy: "repair that adapter, or remove it from the file of backends",
  },
  {
    code: "PLM2083",
    message: "files of a backend cannot be used; keeping the old ones",
    meaning: "The CA or the token of a federated adapter changed and cannot be used.",
    remedy: "mount the Secret or the ConfigMap again",
  },
  {
    code: "PLM2095",
    message: "backends list too many metrics: some are served, and not in discovery",
    meaning:
      "Federated adapters list more than 20,000 metrics of one group together. Requests for the rest are handed on all the same; only lists of metrics lack them.",
    remedy: "none is needed for autoscalers; see why an adapter lists that many",
  },
];
