import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { FetchFailed, unpackedPackage } from "./distribution.mjs";
import { findOnPath } from "./programs.mjs";

/** The path of a Chromium, or undefined: $CHROMIUM, the PATH, or the distribution's package in a cache. */
export function findChromium() {
  return optional("CHROMIUM", ["chromium", "chromium-browser", "google-chrome"], () =>
    launcherIn(unpackedPackage("chromium")),
  );
}

/** The path of a VictoriaMetrics, or undefined, found in the same way. */
export function findVictoriaMetrics() {
  return optional("VICTORIA_METRICS", ["victoria-metrics", "victoria-metrics-prod"], () =>
    join(unpackedPackage("victoria-metrics"), "usr", "bin", "victoria-metrics"),
  );
}

/** The path of a Prometheus 3, or undefined: $PROMETHEUS_3, or the package of the distribution's newest suite. */
export function findPrometheus3() {
  return optional("PROMETHEUS_3", [], () =>
    join(unpackedPackage("prometheus", "sid"), "usr", "bin", "prometheus"),
  );
}

/** Where a program cannot be had, its tests are left out, aloud. */
function optional(variable, names, fetch) {
  const found = process.env[variable] || findOnPath(names);
  if (found) return found;
  try {
    return fetch();
  } catch (error) {
    if (!(error instanceof FetchFailed)) throw error;
    console.error(`plimsoll: nothing for ${variable}, so its tests are left out: ${error.message}`);
    return undefined;
  }
}

/** Chromium's own start script knows only the system's folders. */
function launcherIn(home) {
  const launcher = join(home, "chromium");
  const script = `#!/bin/sh
home='${home}'
for folder in "$home"/lib/*-linux-gnu "$home"/usr/lib/*-linux-gnu "$home"/usr/lib/*-linux-gnu/pulseaudio; do
  LD_LIBRARY_PATH="$folder\${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
done
export LD_LIBRARY_PATH
[ -e /etc/fonts/fonts.conf ] || export FONTCONFIG_PATH="$home/etc/fonts"
exec "$home/usr/lib/chromium/chromium" "$@"
`;
  writeFileSync(launcher, script);
  chmodSync(launcher, 0o755);
  return launcher;
}
