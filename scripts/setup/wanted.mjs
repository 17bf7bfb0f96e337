// The programs of others that commands need, and where each system has them.
import { spawnSync } from "node:child_process";
import { chmodSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { FetchFailed } from "./distribution.mjs";
import { isExecutable } from "./programs.mjs";

/** @type {import("./find.mjs").Wanted} */
export const prometheus = {
  title: "Prometheus",
  variable: "PROMETHEUS",
  names: ["prometheus"],
  fromPackage: ({ unpackedPackage }) => join(unpackedPackage("prometheus"), "usr", "bin", "prometheus"),
  // Without the discovery of targets in clouds, which is most of what there is to compile.
  go: {
    name: "prometheus",
    source: "github.com/prometheus/prometheus/cmd/prometheus",
    module: "prometheus",
    tags: ["remove_all_sd"],
  },
  install: {
    darwin: "brew install prometheus",
    debian: "sudo apt-get install prometheus",
    fedora: "sudo dnf install golang-github-prometheus",
    alpine: "sudo apk add prometheus",
  },
};

/** A Prometheus 3 beside the one above. @type {import("./find.mjs").Wanted} */
export const prometheus3 = {
  title: "Prometheus 3",
  variable: "PROMETHEUS_3",
  names: [],
  fromPackage: ({ unpackedPackage }) =>
    join(unpackedPackage("prometheus", "sid"), "usr", "bin", "prometheus"),
  go: prometheus.go,
  install: { darwin: "brew install prometheus" },
};

/** @type {import("./find.mjs").Wanted} */
export const victoriaMetrics = {
  title: "VictoriaMetrics",
  variable: "VICTORIA_METRICS",
  names: ["victoria-metrics", "victoria-metrics-prod"],
  fromPackage: ({ unpackedPackage }) =>
    join(unpackedPackage("victoria-metrics"), "usr", "bin", "victoria-metrics"),
  install: {
    darwin: "brew install victoriametrics",
    debian: "sudo apt-get install victoria-metrics",
    alpine: "sudo apk add victoria-metrics",
  },
};

/** @type {import("./find.mjs").Wanted} */
export const chromium = {
  title: "Chromium",
  variable: "CHROMIUM",
  names: ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"],
  applications: [
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
  ],
  fromPackage: ({ unpackedPackage }) => chromiumIn(unpackedPackage("chromium")),
  install: {
    darwin: "brew install --cask google-chrome",
    debian: "sudo apt-get install chromium",
    fedora: "sudo dnf install chromium",
    alpine: "sudo apk add chromium",
  },
};

/** The oldest that knows what the tests do. */
const oldestKubectl = 30;

/** @type {import("./find.mjs").Wanted} */
export const kubectl = {
  title: "kubectl",
  variable: "KUBECTL",
  names: ["kubectl"],
  fromPackage: ({ unpackedPackage }) =>
    newEnough(join(unpackedPackage("kubernetes-client"), "usr", "bin", "kubectl")),
  // The release of Kubernetes that the cluster tests run.
  go: {
    name: "kubectl",
    source: "k8s.io/kubernetes/cmd/kubectl",
    module: "kubectl",
    tags: [],
    version: { of: "k8s.io/kubernetes", variables: "k8s.io/component-base/version" },
  },
  install: {
    darwin: "brew install kubernetes-cli",
    debian: "sudo apt-get install kubernetes-client",
    fedora: "sudo dnf install kubernetes-client",
    alpine: "sudo apk add kubectl",
  },
};

function newEnough(program) {
  const { stdout } = spawnSync(program, ["version", "--client", "--output=json"], { encoding: "utf8" });
  const [, minor = "0"] = /"minor":\s*"(\d+)/.exec(stdout ?? "") ?? [];
  if (Number(minor) >= oldestKubectl) return program;
  throw new FetchFailed(`it is kubectl 1.${minor}, and 1.${oldestKubectl} is the oldest that will do`);
}

/** Chromium's own start script knows only the system's folders. */
function chromiumIn(home) {
  const program = join("usr", "lib", "chromium", "chromium");
  if (!isExecutable(join(home, program)))
    throw new FetchFailed("the package has no program; that of Ubuntu only fetches a snap");
  return launcherIn(
    home,
    program,
    `[ -e /etc/fonts/fonts.conf ] || export FONTCONFIG_PATH="$home/etc/fonts"\n`,
  );
}

/** A script that starts a program of an unpacked package with the libraries beside it. */
function launcherIn(home, program, more = "") {
  const launcher = join(home, basename(program));
  const script = `#!/bin/sh
home='${home}'
for folder in "$home"/lib/*-linux-gnu "$home"/usr/lib/*-linux-gnu "$home"/usr/lib/*-linux-gnu/pulseaudio; do
  LD_LIBRARY_PATH="$folder\${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
done
export LD_LIBRARY_PATH
${more}exec "$home/${program}" "$@"
`;
  if (isExecutable(launcher) && readFileSync(launcher, "utf8") === script) return launcher;
  // Another run may be starting it.
  const written = `${launcher}.${process.pid}`;
  writeFileSync(written, script);
  chmodSync(written, 0o755);
  renameSync(written, launcher);
  return launcher;
}

/** @returns {import("./find.mjs").Wanted} */
function source(title, variable, name, program) {
  return {
    title,
    variable,
    names: [basename(program)],
    fromPackage: ({ unpackedPackage }) => launcherIn(unpackedPackage(name), program),
    install: { debian: `sudo apt-get install ${name}` },
  };
}

/** Programs that the recipe book has recipes for, and exporters of those that export nothing themselves. */
export const sources = [
  source("HAProxy", "HAPROXY", "haproxy", "usr/sbin/haproxy"),
  source("Caddy", "CADDY", "caddy", "usr/bin/caddy"),
  source("NGINX", "NGINX", "nginx-light", "usr/sbin/nginx"),
  source(
    "the exporter of NGINX",
    "NGINX_EXPORTER",
    "prometheus-nginx-exporter",
    "usr/bin/prometheus-nginx-exporter",
  ),
  source("Redis", "REDIS", "redis-server", "usr/bin/redis-server"),
  source(
    "the exporter of Redis",
    "REDIS_EXPORTER",
    "prometheus-redis-exporter",
    "usr/bin/prometheus-redis-exporter",
  ),
];
