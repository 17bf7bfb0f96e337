// What runs as the image of a pod.
import { type PlimsollProgram, plimsollCommand } from "../stack/plimsoll-process.ts";

/** A container as its process gets it. */
export interface PodContainer {
  readonly args: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly mounts: readonly Mount[];
  /** A kubeconfig with the rights of the pod's service account. */
  readonly kubeconfig: string;
  /** A folder with what a pod has at /var/run/secrets/kubernetes.io/serviceaccount. */
  readonly account: string;
  readonly server: URL;
  /** A file with the names of the Services, as /etc/hosts. */
  readonly hosts: string;
  /** An empty folder. */
  readonly tmp: string;
}

export interface Mount {
  readonly mountPath: string;
  /** Of this machine. */
  readonly folder: string;
}

export interface PodCommand {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

export interface PodImage {
  /** Is in the line that the process prints once it serves. */
  readonly ready: string;
  commandFor(container: PodContainer): PodCommand;
  /** To which process a signal goes, where it is not the one that was started. */
  readonly inside?: (pid: number) => number;
}

/** The image with this name; undefined for those of others, whose pods another kubelet manages. */
export type PodImages = (name: string) => PodImage | undefined;

const sources: Readonly<Record<string, PlimsollProgram>> = {
  "metrics-adapter": "metrics-adapter",
  autoscaler: "autoscaler",
  // Ours understands its arguments, and a cluster sees no difference.
  "prometheus-adapter": "metrics-adapter",
};

/** Our programs, run from their sources. */
export const sourceImages: PodImages = (name) => {
  const program = sources[name.split("@")[0]?.split("/").at(-1)?.split(":")[0] ?? ""];
  if (program === undefined) return undefined;
  const { command, args } = plimsollCommand(program);
  return {
    ready: '"serving"',
    commandFor: ({ kubeconfig, environment, ...container }) => ({
      command,
      args: [...args, ...argumentsHere(container)],
      env: {
        ...environment,
        KUBECONFIG: kubeconfig,
        // In a pod a process lets others learn that it is leaving.
        KUBERNETES_SERVICE_HOST: "kubernetes.default.svc",
      },
    }),
  };
};

/** A program of this machine in the place of an image. */
export function programImage(command: string, ready: string): PodImage {
  return {
    ready,
    commandFor: ({ environment, ...container }) => ({
      command,
      args: argumentsHere(container),
      env: environment,
    }),
  };
}

/** With the folders of this machine in the place of those in the container. */
function argumentsHere({ args, mounts }: Pick<PodContainer, "args" | "mounts">): readonly string[] {
  return args.map((arg) =>
    mounts.reduce((done, { mountPath, folder }) => done.replaceAll(`${mountPath}/`, `${folder}/`), arg),
  );
}
