// The backends together: who owns a request, handing it on, what they list, and how they are.
import { createLogLimiter, steadyNowMs } from "@plimsoll/component-base";
import type { Registry } from "prom-client";
import { type BackendAnswer, type BackendFailure, failure, publicAnswer } from "./backend/answer.ts";
import { objectsProblem } from "./backend/check-objects.ts";
import { type FederatedRequest, pathOf } from "./backend/federated-request.ts";
import { hopHeader } from "./backend/headers.ts";
import { inVersion, versionFor } from "./backend/translate.ts";
import { type FederatedGroup, federatedGroups, federatedVersions } from "./config/federation-config.ts";
import { createDirectory, type IsOwn, type Owner } from "./directory/directory.ts";
import { listedName, type MetricTarget, targetOf } from "./directory/metric-request.ts";
import { logMerged } from "./discovery/log-merged.ts";
import { createMerged } from "./discovery/merged.ts";
import type { ListedNames } from "./discovery/read-list.ts";
import { createMembers, type MemberBackend, type MemberOptions, startMember, stateOf } from "./members.ts";
import { createFederationTelemetry } from "./telemetry.ts";

/** What a process gives. */
export interface FederationOptions extends MemberOptions {
  /** Which metrics are ours; asked for each request, before all backends. */
  readonly isOwn: IsOwn;
  /** The kind of a resource such as "deployments.apps"; undefined while that is unknown. */
  readonly kindOf: (resource: string) => string | undefined;
  readonly registry: Registry;
}

/** An answer to hand on, or a failure whose message names the backend. */
export type HandedOn = BackendAnswer | BackendFailure;

/** An owner of a request, by which it is handed on. */
export type RequestOwner = Owner<MemberBackend> & { readonly target: MetricTarget | undefined };

/** Other adapters behind our APIService. */
export interface Federation {
  /** Groups of which a backend serves metrics. */
  readonly groups: ReadonlySet<FederatedGroup>;
  /** How many requests can be in flight to all backends together. */
  readonly concurrency: number;
  ownerOf(request: Pick<FederatedRequest, "group" | "version" | "segments" | "query">): RequestOwner;
  /** Never rejects. */
  handOn(backend: MemberBackend, target: MetricTarget, request: FederatedRequest): Promise<HandedOn>;
  /** What backends list, without what we own. The same object until something changes. */
  rows(group: FederatedGroup): ListedNames;
  /** Which backends are down, and why; undefined when none is. */
  note(): string | undefined;
  /** Does not wait for backends. @throws Error, which names the backend, when a file of it cannot be read. */
  start(): Promise<void>;
  stop(): void;
}

/** Nothing is read or sent before start. */
export function createFederation(options: FederationOptions): Federation {
  const { clock, log, isOwn } = options;
  const members = createMembers(options);
  const directory = createDirectory(members, isOwn);
  const telemetry = createFederationTelemetry(
    options.registry,
    members.map(({ config }) => config.name),
    () => members.map(stateOf),
  );
  const mayLog = createLogLimiter(clock, 60_000);
  const rows = createMerged(
    (group) =>
      members.map(({ config, discovery }) => ({ backend: config.name, names: discovery.names(group) })),
    (group, merged) => logMerged(log, { group, merged, isOwn }),
  );

  return {
    groups: new Set(
      federatedGroups.filter((group) => members.some(({ config }) => config.groups.includes(group))),
    ),
    concurrency: members.reduce((sum, { config }) => sum + config.concurrency, 0),
    ownerOf({ group, version, segments, query }) {
      const target = federatedVersions[group].includes(version) ? targetOf(group, segments) : undefined;
      if (target === undefined) return { type: "none", unread: [], target };
      const selectorOf = group === "external.metrics.k8s.io" ? "labelSelector" : "metricLabelSelector";
      return { ...directory({ ...target, selector: query.get(selectorOf) ?? "" }), target };
    },
    rows,
    async handOn(backend, target, request) {
      const { name } = backend.config;
      const startedAtMs = steadyNowMs(clock);
      const kind = target.resource === undefined ? undefined : options.kindOf(target.resource);
      const result = await resultOf(backend, { ...target, kind }, request);
      const seconds = (steadyNowMs(clock) - startedAtMs) / 1000;
      telemetry.handedOn({ backend: name, outcome: result.ok ? "answered" : result.kind, seconds });
      if (result.ok) return result;
      const { kind: failed, message } = result;
      if (failed !== "canceled" && mayLog(`${name} ${failed}`))
        log.warn(
          { backend: name, kind: failed, reason: message, metric: listedName(target) },
          "backend returned no usable response",
        );
      return { ...result, message: `backend ${name}: ${message}` };
    },
    note: () => noteOf(members),
    async start() {
      for (const member of members) await startMember(member);
      for (const { discovery } of members) void discovery.start();
    },
    stop() {
      for (const member of members) {
        member.discovery.stop();
        member.stop();
      }
    },
  };
}

async function resultOf(
  backend: MemberBackend,
  target: Parameters<typeof objectsProblem>[0],
  request: FederatedRequest,
): Promise<HandedOn> {
  if (request.isHandedOn)
    return failure(
      "loop",
      `the request was already forwarded once (${hopHeader}): a backend points back to a federating adapter`,
    );
  const { group, version: wanted } = request;
  const version = versionFor(wanted, backend.discovery.versions(group));
  const path = pathOf({ ...request, version });
  const answer = await backend.send({ ...request, path, accept: "application/json" });
  if (!answer.ok) return answer;
  if (answer.code >= 400) return publicAnswer(answer);
  const problem = objectsProblem(target, answer);
  if (problem !== undefined) return failure("refused", problem);
  if (version === wanted) return answer;
  return (
    inVersion(answer, group, wanted) ??
    failure("refused", `its response can't be converted to ${wanted}, the requested version`)
  );
}

function noteOf(members: readonly MemberBackend[]): string | undefined {
  const down = members.flatMap(({ config, discovery, circuitProblem }) => {
    const problem = circuitProblem() ?? discovery.problem();
    return problem === undefined ? [] : [`${config.name}: ${problem}`];
  });
  return down.length === 0 ? undefined : `backends that are down: ${down.join("; ")}`;
}
