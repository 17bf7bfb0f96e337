// Runs a program in a root filesystem, as a container.
import { readFileSync } from "node:fs";
import type { ImageRecipe } from "./dockerfile.ts";

/**
 * What runs a program in a root filesystem as a container runtime would, as far as one is needed: a root that cannot
 * be written, one folder at /tmp that can, /proc of its own processes only, and a user without any right. It takes no
 * privilege but that of making user namespaces; `unshare` and `mount` are of util-linux.
 */
export function contained(
  image: Pick<ImageRecipe, "uid" | "gid" | "env">,
  options: {
    readonly rootfs: string;
    readonly tmp: string;
    /** What else is mounted, where the root filesystem has a place for it. */
    readonly mounts?: readonly { readonly from: string; readonly to: string }[];
    readonly args: readonly string[];
  },
): { readonly command: string; readonly args: readonly string[] } {
  const script = [
    'mount --bind "$1" "$1"',
    'mount -t proc -o nosuid,nodev,noexec proc "$1/proc"',
    'mount --bind "$2" "$1/tmp"',
    'mount -o remount,bind,ro,nosuid,nodev "$1"',
    "root=$1",
    "shift 2",
    'while [ "$1" != -- ]; do mount --bind "$1" "$root$2"; shift 2; done',
    "shift",
    'exec env --ignore-environment "$@"',
  ];
  // The second namespace has one user, who has nothing left of the first.
  const separate = ["--user", "--map-root-user", "--mount", "--pid", "--fork", "--kill-child"];
  const enter = [
    "--user",
    `--map-user=${image.uid}`,
    `--map-group=${image.gid}`,
    `--root=${options.rootfs}`,
    "--wd=/",
  ];
  const env = Object.entries(image.env).map(([name, value]) => `${name}=${value}`);
  const mounts = (options.mounts ?? []).flatMap(({ from, to }) => [from, to]);
  const mount = ["sh", "-ec", script.join("; "), "sh", options.rootfs, options.tmp, ...mounts, "--"];
  return {
    command: "unshare",
    args: [...separate, ...mount, ...env, "unshare", ...enter, "--", ...options.args],
  };
}

/** The process inside of a command of `contained`, to which signals go as a runtime sends them. */
export function processInside(pid: number): number {
  return Number(readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ")[0]);
}
