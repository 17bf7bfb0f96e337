// The options of the built-in controller: from the arguments of its pod, else the defaults of the server's release.
import {
  type ControllerOptions,
  defaultOptions,
  type SemanticsProfile,
  semanticsProfiles,
} from "@plimsoll/core";
import { parseGoDuration } from "@plimsoll/core/duration";
import type { KubeClient, KubeObject } from "@plimsoll/kube";
import type { Assumption } from "./recomputed.ts";

/** What the controller runs with, as far as it is known. */
export interface ControllerSettings {
  readonly options: ControllerOptions;
  readonly syncPeriodMs: number;
  readonly assumptions: readonly Assumption[];
}

/** What whoever asks knows better than what can be read. */
export type SettingOverrides = Partial<
  Pick<
    ControllerOptions,
    | "tolerance"
    | "downscaleStabilizationMs"
    | "cpuInitializationPeriodMs"
    | "initialReadinessDelayMs"
    | "semantics"
  > & { readonly syncPeriodMs: number }
>;

type Setting = keyof SettingOverrides;

const defaultSyncPeriodMs = 15_000;
const prefix = "--horizontal-pod-autoscaler-";

interface Known {
  readonly about: string;
  readonly flag: string | undefined;
  readonly read: (value: string) => number | undefined;
  readonly show: (value: number) => string;
}

const fraction = (value: string): number | undefined =>
  value.trim() !== "" && Number.isFinite(Number(value)) ? Number(value) : undefined;
const seconds = (ms: number): string => {
  const minutes = ms / 60_000;
  return Number.isInteger(minutes) && minutes > 0 ? `${minutes}m` : `${ms / 1000}s`;
};
const duration = (about: string, flag: string): Known => ({
  about,
  flag: `${prefix}${flag}`,
  read: parseGoDuration,
  show: seconds,
});

const settings: Readonly<Record<Exclude<Setting, "semantics">, Known>> = {
  tolerance: { about: "tolerance", flag: `${prefix}tolerance`, read: fraction, show: String },
  downscaleStabilizationMs: duration("downscale stabilization", "downscale-stabilization"),
  cpuInitializationPeriodMs: duration("CPU initialization period", "cpu-initialization-period"),
  initialReadinessDelayMs: duration("initial readiness delay", "initial-readiness-delay"),
  syncPeriodMs: duration("sync period", "sync-period"),
};

/** Reads what may be read; nothing here fails. */
export async function readControllerSettings(
  client: KubeClient,
  serverMinor: number | undefined,
  overrides: SettingOverrides = {},
): Promise<ControllerSettings> {
  return settingsFrom(await readArguments(client), serverMinor, overrides);
}

/** Each flag with its value as "--flag=value": it may have two words, or stand in a line of a shell. */
function wordsOf(args: readonly string[]): readonly string[] {
  const words = args.flatMap((one) => one.split(/\s+/)).map((one) => one.replaceAll(/["']/g, ""));
  return words.map((word, at) => {
    const isWhole = !word.startsWith("--") || word.includes("=");
    return isWhole ? word : `${word}=${words[at + 1] ?? ""}`;
  });
}

/** `given` are those of the controller; undefined: they may not be read, or it runs elsewhere. */
export function settingsFrom(
  given: readonly string[] | undefined,
  serverMinor: number | undefined,
  overrides: SettingOverrides = {},
): ControllerSettings {
  const args = given === undefined ? undefined : wordsOf(given);
  const assumptions: Assumption[] = [];
  const values = { ...defaultOptions, syncPeriodMs: defaultSyncPeriodMs };
  const chosen = Object.entries(settings).map(([name, known]) => {
    const setting = name as keyof typeof settings;
    const given = overrides[setting];
    if (given !== undefined) return [setting, given] as const;
    const read = known.flag === undefined ? undefined : valueOf(args, known);
    if (read !== undefined) return [setting, read] as const;
    if (args === undefined) {
      const value = known.show(values[setting]);
      assumptions.push({
        about: known.about,
        value,
        why: "cannot read the controller's flags",
        isFlag: true,
      });
    }
    return [setting, values[setting]] as const;
  });
  const semantics = overrides.semantics ?? semanticsOf(serverMinor, assumptions);
  const { syncPeriodMs, ...options } = { ...values, ...Object.fromEntries(chosen) };
  return {
    options: { ...options, semantics, scaleToZero: scalesToZero(args, serverMinor) },
    syncPeriodMs,
    assumptions,
  };
}

/** The last of equal arguments counts; one that cannot be read would have kept the controller from starting. */
function valueOf(args: readonly string[] | undefined, { flag, read }: Known): number | undefined {
  const argument = args?.findLast((one) => one.startsWith(`${flag ?? ""}=`));
  return argument === undefined ? undefined : read(argument.slice(argument.indexOf("=") + 1));
}

/** Off by default up to 1.36. Arguments that cannot be read may have it. */
function scalesToZero(args: readonly string[] | undefined, minor: number | undefined): boolean {
  if (args === undefined) return defaultOptions.scaleToZero;
  const gates = args
    .filter((argument) => argument.startsWith("--feature-gates="))
    .flatMap((argument) => argument.slice(argument.indexOf("=") + 1).split(","));
  const gate = gates.findLast((one) => one.startsWith("HPAScaleToZero="));
  return gate === undefined ? minor === undefined || minor >= 37 : gate.endsWith("=true");
}

/** docs/developers/semantics.md: what changed in which release. */
function semanticsOf(minor: number | undefined, assumptions: Assumption[]): SemanticsProfile {
  if (minor === undefined) {
    const why = "the server doesn't show its version";
    assumptions.push({ about: "semantics", value: defaultOptions.semantics, why });
    return defaultOptions.semantics;
  }
  // 1.33 and 1.34 differ from 1.35 in overflows, texts, and containers that a pod's specification lacks. A release without a
  // profile otherwise decides as the newest before it.
  if (minor === 33 || minor === 34) return "1.35";
  return semanticsProfiles.findLast((profile) => Number(profile.slice(2)) <= minor) ?? "1.32";
}

interface WirePod extends KubeObject {
  readonly spec?: {
    readonly containers?: readonly {
      readonly command?: readonly string[] | null;
      readonly args?: readonly string[] | null;
    }[];
  };
}

async function readArguments(client: KubeClient): Promise<readonly string[] | undefined> {
  try {
    const { items } = await client.request<{ readonly items?: readonly WirePod[] | null }>({
      path: "/api/v1/namespaces/kube-system/pods",
      query: { labelSelector: "component=kube-controller-manager", limit: 10 },
    });
    const [pod] = items ?? [];
    return pod?.spec?.containers?.flatMap(({ command, args }) => [...(command ?? []), ...(args ?? [])]);
  } catch {
    return undefined;
  }
}
