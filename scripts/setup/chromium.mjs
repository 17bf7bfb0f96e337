import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { FetchFailed, unpackedPackage } from "./distribution.mjs";
import { findOnPath } from "./programs.mjs";

/**
 * The path of a Chromium: $CHROMIUM, the PATH, or the distribution's package in a cache. Undefined where none can be
 * had; the test that wants one then says so.
 */
export function findChromium() {
  if (process.env.CHROMIUM) return process.env.CHROMIUM;
  const found = findOnPath(["chromium", "chromium-browser", "google-chrome"]);
  if (found) return found;
  try {
    return launcherIn(unpackedPackage("chromium"));
  } catch (error) {
    if (!(error instanceof FetchFailed)) throw error;
    console.error(`plimsoll: no Chromium, so the test in a browser is left out: ${error.message}`);
    return undefined;
  }
}

/** Its own start script knows only the system's folders. */
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
