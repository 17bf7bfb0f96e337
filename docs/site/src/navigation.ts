// The order of the pages for readers: each page of docs stands here once.

export interface Page {
  /** Below docs. */
  readonly path: string;
  /** In the navigation; shorter than the heading where that helps. */
  readonly title: string;
}

export interface Section {
  readonly title: string;
  readonly pages: readonly Page[];
  /** What few readers look for, folded up. */
  readonly folded?: Section;
}

const page = (path: string, title: string): Page => ({ path, title });

/** Tutorials teach, how-to guides solve one task, reference lists, explanation says why: https://diataxis.fr. */
export const sections: readonly Section[] = [
  {
    title: "Start",
    pages: [
      page("index.md", "Overview"),
      page("install.md", "Install"),
      page("metrics-setup.md", "Find a metric to scale on"),
      page("why-not-scaling.md", "Why is it not scaling?"),
      page("playground.md", "Playground"),
    ],
  },
  {
    title: "Tutorials",
    pages: [
      page("tutorial.md", "Scale on a number"),
      page("tutorial-cluster.md", "The same in a cluster"),
      page("tutorial-one-object.md", "Scale on a query"),
      page("tutorial-packets.md", "Scale on packets per second"),
      page("tutorial-live.md", "Scale without Prometheus"),
      page("tutorial-ingress.md", "Scale on requests"),
      page("tutorial-queue.md", "Scale a queue to zero"),
      page("tutorial-schedules.md", "Scale by schedule and metric"),
      page("tutorial-prometheus-adapter.md", "From prometheus-adapter"),
      page("tutorial-keda.md", "From KEDA"),
      page("tutorial-cronhpa.md", "From CronHPA"),
      page("tutorial-backtest.md", "Backtest the demo"),
    ],
  },
  {
    title: "How-to guides",
    pages: [
      page("migrate-from-prometheus-adapter.md", "Replace prometheus-adapter"),
      page("convert.md", "Move from KEDA and others"),
      page("managed-clusters.md", "Run on EKS, GKE, AKS"),
      page("upgrade.md", "Upgrade and roll back"),
      page("go-back.md", "Rollback plan"),
      page("sources.md", "Use several Prometheus servers"),
      page("metric-rules.md", "Let teams define metrics"),
      page("live-metrics.md", "React within seconds"),
      page("federation.md", "Federate other adapters"),
      page("autoscaler.md", "Run the autoscaler"),
      page("schedules.md", "Scale by schedule"),
      page("cronhpa.md", "Run CronHPA objects"),
      page("scale-to-zero.md", "Scale to zero and back"),
      page("explain.md", "See why: explain and status"),
      page("console.md", "Use the console"),
      page("simulate.md", "Simulate a load"),
      page("backtest.md", "Backtest an autoscaler"),
      page("tune.md", "Tune an autoscaler"),
      page("dashboards-and-alerts.md", "Dashboards and alerts"),
      page("hardening.md", "Harden an installation"),
      page("troubleshooting.md", "Troubleshoot"),
      page("developers/release.md", "Make a release"),
    ],
  },
  {
    title: "Reference",
    pages: [
      page("cli.md", "Command line"),
      page("flags-metrics-adapter.md", "Flags: metrics-adapter"),
      page("flags-autoscaler.md", "Flags: autoscaler"),
      page("rules-file.md", "Rules file"),
      page("workload-autoscaler.md", "WorkloadAutoscaler: fields"),
      page("editor-schemas.md", "JSON Schemas"),
      page("metric-rule.md", "MetricRule: fields"),
      page("metrics.md", "Metrics"),
      page("doctor.md", "Doctor and its rules"),
      page("errors.md", "Codes of messages"),
      page("events.md", "Events and conditions"),
      page("http-api.md", "HTTP and JSON APIs"),
      page("permissions.md", "Permissions of the processes"),
      page("records.md", "Records and bundles"),
      page("compatibility.md", "Compatibility"),
      page("developers/conformance.md", "Conformance vectors"),
    ],
  },
  {
    title: "Explanation",
    pages: [
      page("how-replicas-are-calculated.md", "How replicas are calculated"),
      page("developers/architecture.md", "Architecture"),
      page("security.md", "Security"),
      page("developers/security-model.md", "Security model"),
      page("developers/semantics.md", "Semantics of releases"),
      page("developers/differences.md", "Tests of the differences"),
      page("developers/faults.md", "Faults: metrics-adapter"),
      page("developers/faults-autoscaler.md", "Faults: autoscaler"),
      page("developers/performance.md", "Performance"),
      page("developers/backtest-accuracy.md", "Accuracy of backtests"),
      page("developers/testing.md", "How it is tested"),
      page("developers/soak.md", "The soak"),
    ],
    folded: {
      title: "Decisions",
      pages: [
        page("developers/adr/README.md", "All decisions"),
        page("developers/adr/0001-own-reflector.md", "1. A reflector of our own"),
        page("developers/adr/0002-bigint-milli-units.md", "2. Exact milli-units"),
        page("developers/adr/0003-no-express-on-hot-paths.md", "3. No express on hot paths"),
        page("developers/adr/0004-shadow-by-default.md", "4. Shadow by default"),
        page("developers/adr/0005-schedules-inside-the-decision.md", "5. Schedules in the decision"),
        page("developers/adr/0006-no-retry-after-on-503.md", "6. No Retry-After on 503"),
        page("developers/adr/0007-http-1-1-only.md", "7. HTTP/1.1 only"),
        page("developers/adr/0008-sandbox-beside-the-real-control-plane.md", "8. A sandbox of our own"),
        page("developers/adr/0009-go-in-test-tools-only.md", "9. Go in test tools only"),
        page("developers/adr/0010-one-decide.md", "10. One decide"),
        page("developers/adr/0011-own-cron.md", "11. A cron parser of our own"),
        page("developers/adr/0012-live-metrics.md", "12. Live metrics are exact"),
      ],
    },
  },
];

/** Every page, in the order of the navigation. */
export const pages: readonly Page[] = sections.flatMap(pagesOf);

function pagesOf({ pages: own, folded }: Section): readonly Page[] {
  return folded === undefined ? own : [...own, ...pagesOf(folded)];
}
