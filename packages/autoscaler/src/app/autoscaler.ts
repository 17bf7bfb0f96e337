// The interface of the autoscaler, and what it is given from outside: API client, clock, log, identity.
import type { ReadCalendarTask } from "@plimsoll/calendars";
import type { Clock, EntryMeter, Logger } from "@plimsoll/component-base";
import type { KubeClient } from "@plimsoll/kube";
import type { ReadText } from "@plimsoll/kube/serving";
import type { Registry } from "prom-client";
import type { DecisionLog } from "../decisions/decision-log.ts";
import type { Decide } from "../decisions/stored-decision.ts";
import type { Listen, ServingAddress } from "../server/serving.ts";

export interface AutoscalerDeps {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly log: Logger;
  /** Unlike that of any other process that takes part. */
  readonly identity?: string;
  /** For a serving certificate of our own, and for what the lease says of this process: the pod's name in a pod. */
  readonly hostname?: string;
  /** Reads files of certificates and tokens; from the disk when absent. */
  readonly readText?: ReadText;
  /** 0 ≤ x < 1; for jitter only. */
  readonly random?: () => number;
  /** Unlike any other; random UUIDs when absent. */
  readonly newId?: () => string;
  /** Makes the listener for plain HTTP; one on the machine's network when absent. */
  readonly listen?: Listen;
  /** Where metrics are registered; a new one when absent. */
  readonly registry?: Registry;
  /** Reports what is kept by object; a new one when absent. */
  readonly meter?: EntryMeter;
  /** The decision function; core's when absent. */
  readonly decide?: Decide;
  /** Where calendars are read; on the caller's thread when absent. */
  readonly runTask?: ReadCalendarTask;
}

export interface Autoscaler {
  /** Serves at once; evaluations begin when HPAs and pods are known. */
  start(): Promise<ServingAddress>;
  /** Lets evaluations under way end, then closes everything. */
  stop(): Promise<void>;
  /**
   * Evaluates every HPA once now; resolves when all its writes are done. Only after start.
   * @throws Error while another process, or none, leads.
   */
  sync(): Promise<void>;
  readonly decisions: DecisionLog;
  /** What /metrics serves. */
  metrics(): Promise<string>;
  /** Whether this process may write about an object, "namespace/name", at the moment of the call. */
  owns(key: string): boolean;
}
