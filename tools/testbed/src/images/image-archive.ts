// Unpacks an archive of an image, as `docker load` takes it, and runs it without a container engine.
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { PodImage } from "../nodes/pod-image.ts";
import { contained, processInside } from "./contained.ts";

interface ArchivedImage {
  readonly Config: string;
  readonly RepoTags: readonly string[];
  readonly Layers: readonly string[];
}

interface ImageConfig {
  readonly config: {
    readonly User: string;
    readonly Env?: readonly string[];
    readonly Entrypoint: readonly string[];
  };
}

/** The names of the images in an archive. */
export function namesIn(archive: string): readonly string[] {
  return manifestOf(archive).flatMap(({ RepoTags }) => RepoTags);
}

function manifestOf(archive: string): readonly ArchivedImage[] {
  const text = execFileSync("tar", ["-xOf", archive, "manifest.json"], { encoding: "utf8" });
  return JSON.parse(text) as readonly ArchivedImage[];
}

const account = "/var/run/secrets/kubernetes.io/serviceaccount";

/** Unpacks the only image of an archive into an empty folder. */
export function unpackImage(archive: string, folder: string): PodImage {
  const [{ Config, Layers }] = manifestOf(archive) as readonly [ArchivedImage];
  const [layout, rootfs] = [join(folder, "layout"), join(folder, "rootfs")];
  for (const one of [layout, rootfs]) mkdirSync(one, { recursive: true });
  execFileSync("tar", ["-xf", archive, "-C", layout]);
  for (const layer of Layers) execFileSync("tar", ["-xzf", join(layout, layer), "-C", rootfs]);
  const { config } = JSON.parse(readFileSync(join(layout, Config), "utf8")) as ImageConfig;
  const [uid = 0, gid = 0] = config.User.split(":").map(Number);
  const own = Object.fromEntries((config.Env ?? []).map((one) => one.split(/=(.*)/s, 2)));
  return {
    ready: '"serving"',
    inside: processInside,
    commandFor({ args, environment, mounts, server, ...container }) {
      const all = [
        ...mounts.map(({ mountPath, folder: from }) => ({ from, to: mountPath })),
        { from: container.account, to: account },
        { from: container.hosts, to: "/etc/hosts" },
      ];
      for (const { to } of all) addMountPoint(rootfs, to);
      const env = {
        ...own,
        ...environment,
        KUBERNETES_SERVICE_HOST: server.hostname,
        KUBERNETES_SERVICE_PORT: server.port,
      };
      const run = contained(
        { uid, gid, env },
        { rootfs, tmp: container.tmp, mounts: all, args: [...config.Entrypoint, ...args] },
      );
      return { ...run, env: {} };
    },
  };
}

/** A container engine makes what an image lacks to mount something on. */
function addMountPoint(rootfs: string, path: string): void {
  const place = join(rootfs, path);
  if (path !== "/etc/hosts") {
    mkdirSync(place, { recursive: true });
    return;
  }
  mkdirSync(dirname(place), { recursive: true });
  writeFileSync(place, "");
}
