import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import type { PodsStep } from "./live-pods.ts";

/** What a tenant does, as data: small in a file, large in the cluster (see expand.ts). */
export interface Attack {
  readonly name: string;
  /** What it is about, in a sentence. */
  readonly what: string;
  /** Alone, both processes restart while all of it is there; with others, they do so at the end. */
  readonly restart?: boolean;
  readonly steps: readonly Step[];
}

export interface Step {
  /** Objects that it writes. */
  readonly write?: {
    readonly object: unknown;
    /** {n} in the object counts them. */
    readonly copies?: number;
    /** Each edit is of one of them; {e} in the object counts the edits. */
    readonly editsPerSecond?: number;
    /** Written behind the API server's back, as objects are that an older definition let in. */
    readonly unchecked?: boolean;
  };
  /** Requests that it sends to the adapter; {n} in the path counts them. */
  readonly request?: {
    readonly path: unknown;
    readonly times: number;
    readonly atOnce?: number;
    /** With a token that the API server never issued. */
    readonly unknownUser?: boolean;
    readonly to?: "adapter" | "autoscaler";
    /** What half of the responses may take, where the answer is known before the request. */
    readonly medianMs?: number;
  };
  /** Connections that it opens and says nothing on. */
  readonly silent?: { readonly connections: number; readonly to: "adapter" | "autoscaler" };
  /** Series that its pods expose. */
  readonly series?: {
    readonly metric: string;
    readonly labels?: unknown;
    readonly value?: string;
    readonly copies?: number;
  };
  readonly pods?: PodsStep;
  /** What Prometheus makes of queries of one of its metrics. */
  readonly prometheus?: { readonly metric: string; readonly answers: PrometheusFault };
}

export type PrometheusFault =
  | "hangs"
  | "timeout"
  | "long-error"
  | "long-warning"
  | "nested-type"
  /** One series of 40 MB. */
  | "fat-labels"
  | "endless"
  | "slow"
  | "cuts-off"
  /** To an address that only the infrastructure has. */
  | "redirects"
  /** The error has what the request was authenticated with. */
  | "echoes-credentials"
  /** The query holds one of the slots for minutes, also after the client hung up. */
  | "keeps-running";

export const casesFolder = join(import.meta.dirname, "cases");

/** The cases that were found before, by name. */
export function keptCases(): readonly Attack[] {
  return readdirSync(casesFolder)
    .filter((file) => file.endsWith(".yaml"))
    .toSorted()
    .map((file) => readCase(join(casesFolder, file)));
}

export function readCase(file: string): Attack {
  return parse(readFileSync(file, "utf8")) as Attack;
}
