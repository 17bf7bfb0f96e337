// The codes of messages: a person can search for each code, docs/errors.md says what it means and what to do about it.
// `PLM` and four digits, assigned once: a message that changes keeps its code, and a code is never reused.
// PLM6000 to PLM6999 are kept free for findings about clusters.

type Codes = Readonly<Record<string, `PLM${number}`>>;

/** PLM1000 to PLM1999: what the autoscaler logs, its calendars and its reads of metrics included. */
export const autoscalerCodes: Codes = {
  "watch failed; retrying": "PLM1001",
  "stopped before watches were established": "PLM1002",
  "discovery is not complete": "PLM1003",
  "could not record an event": "PLM1004",
  "stopped before all events were written": "PLM1005",
  "coordination failed; retrying": "PLM1010",
  "a timer crashed; other timers are not affected": "PLM1011",
  "evaluation failed": "PLM1020",
  "evaluation crashed; other objects are not affected": "PLM1021",
  "evaluation backs off after crashes; edit the object to retry at once": "PLM1022",
  "could not reread the scale": "PLM1023",
  "a write crashed; other writes are not affected": "PLM1024",
  "cannot read a namespace's usage in one request; reading each object's pods separately": "PLM1030",
  "replicas overwritten by another client": "PLM1042",
  "returned to shadow: foreign writer": "PLM1043",
  "could not change limits; retrying": "PLM1050",
  "cannot write decision records; retrying in a minute": "PLM1045",
  "could not write the finalizer; retrying": "PLM1051",
  "could not write the status; retrying": "PLM1052",
  "changing limits crashed; other objects are not affected": "PLM1053",
  "could not read the object before a scheduled run": "PLM1060",
  "scheduled runs crashed; other objects are not affected": "PLM1061",
};

/** PLM2000 to PLM2999: what the metrics adapter logs. */
export const metricsAdapterCodes: Codes = {
  "engine failed to start": "PLM2001",
  "listener failed": "PLM2002",
  "rule is probably not what you intended": "PLM2010",
  "new rules are rejected; keeping the old ones": "PLM2011",
  "a rule is left out": "PLM2084",
  "could not switch to the new rules": "PLM2012",
  "could not reload the credentials for Prometheus; keeping the old ones": "PLM2013",
  "a source may be unsafe": "PLM2014",
  "a backend may be unsafe": "PLM2015",
  "new sources are rejected; keeping the old ones": "PLM2016",
  "this version of Node.js ignores HTTP proxies": "PLM2017",
  "discovery failed for a rule": "PLM2020",
  "relisting failed": "PLM2021",
  "a rule needs attention": "PLM2022",
  "objects are left out of a list": "PLM2030",
  "Prometheus returned a warning": "PLM2031",
  "samples of Prometheus are too old to be cached; check the clocks": "PLM2032",
  "results are cached for longer than half of the shortest scrape interval; lower --metrics-result-max-age":
    "PLM2033",
  "cannot read the cluster's resources yet": "PLM2040",
  "could not read the cluster's resources": "PLM2041",
  "watching a resource failed": "PLM2042",
  "cannot watch MetricRules": "PLM2043",
  "cannot write the status of a MetricRule": "PLM2044",
  "cannot watch WorkloadAutoscalers; their queries are not served": "PLM2045",
  "a request to a source failed": "PLM2046",
  "an APIService belongs to another Service and is left alone": "PLM2050",
  "cannot watch an APIService": "PLM2051",
  "cannot publish the serving certificate's CA yet": "PLM2052",
  "authentication configuration is not usable; keeping the old one": "PLM2060",
  "cannot watch the authentication configuration; retrying": "PLM2061",
  "new client CA file is not usable; keeping the old one": "PLM2062",
  "a query of a tenant timed out": "PLM2063",
  "series of Prometheus are too large and were left out": "PLM2065",
  "backend returned no usable response": "PLM2080",
  "cannot read the list of a backend": "PLM2081",
  "the list of a backend is too old and is no longer used": "PLM2082",
  "cannot use a backend's files; keeping the old ones": "PLM2083",
  "backends list too many metrics: some are served but missing from discovery": "PLM2095",
  "a backend lists too many metrics: select some with match.metrics": "PLM2098",
};

/** PLM3000 to PLM3999: what both log. */
export const sharedCodes: Codes = {
  "unhandled rejection": "PLM3001",
  "request failed": "PLM3002",
  "a flag has no effect": "PLM3003",
  "could not review a token": "PLM3010",
  "could not review access": "PLM3011",
  "an object is left out": "PLM3040",
  "certificate directory is not writable; keeping the certificate in memory": "PLM3020",
  "could not reload files; keeping the old ones": "PLM3021",
  "new serving certificate is not usable; keeping the old one": "PLM3022",
};

/** PLM4000 to PLM4999: why a process does not start. The messages are the beginnings of the printed lines. */
export const startupCodes: Codes = {
  "a flag, an argument, or the rules file is invalid": "PLM4001",
  "cannot read the rules file": "PLM4010",
  "cannot read the credentials for Prometheus": "PLM4011",
  "cannot read the sources file": "PLM4014",
  "cannot use a source": "PLM4015",
  "cannot read the backends file": "PLM4012",
  "cannot use a backend": "PLM4013",
  "cannot connect to kube-apiserver": "PLM4020",
  "cannot connect: check --kubeconfig and --context": "PLM4021",
  "cannot serve": "PLM4030",
};

/** PLM5000 to PLM5999: why one of our own objects is not ready or not active. The messages are reasons of conditions. */
export const conditionCodes: Codes = {
  InvalidSpec: "PLM5001",
  InvalidSchedule: "PLM5002",
  TargetNotFound: "PLM5003",
  FailedUpdate: "PLM5004",
  Conflict: "PLM5005",
  ForeignWriter: "PLM5006",
  SharedTarget: "PLM5007",
  NamespaceMatcher: "PLM5101",
  Unparsable: "PLM5102",
  Unsupported: "PLM5103",
  TooCostly: "PLM5104",
  LimitExceeded: "PLM5105",
  UnknownSource: "PLM5106",
  SourceNotForNamespace: "PLM5107",
  UnknownResource: "PLM5108",
  ResourceNotNamespaced: "PLM5109",
  NameTaken: "PLM5110",
  NoSeries: "PLM5120",
  NoObjectLabel: "PLM5121",
  NoValue: "PLM5122",
  QueryFailed: "PLM5123",
  NotServed: "PLM5124",
  NotRead: "PLM5125",
};
