// Reads the audit log of kube-apiserver.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** One request that the API server has responded to. */
export interface AuditedRequest {
  readonly atMs: number;
  readonly user: string;
  readonly verb: string;
  /** Plural, with its group and subresource: "deployments.apps/scale"; a path for what is no resource. */
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
  readonly code: number;
}

interface AuditEvent {
  readonly verb: string;
  readonly requestURI: string;
  readonly user: { readonly username?: string };
  readonly objectRef?: {
    readonly apiGroup?: string;
    readonly resource?: string;
    readonly subresource?: string;
    readonly namespace?: string;
    readonly name?: string;
  };
  readonly requestReceivedTimestamp: string;
  readonly responseStatus?: { readonly code?: number };
}

const policy = `apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived, ResponseStarted]
rules: [{ level: Metadata }]
`;

/** The log of an API server, in its folder. */
export function createAuditLog(folder: string): {
  /** Flags of the API server. */
  readonly files: { readonly policy: string; readonly log: string };
  /** In the order of their responses. */
  read(): readonly AuditedRequest[];
} {
  const files = { policy: join(folder, "audit-policy.yaml"), log: join(folder, "audit.log") };
  writeFileSync(files.policy, policy);
  return {
    files,
    read() {
      if (!existsSync(files.log)) return [];
      // The last line may be half written.
      const lines = readFileSync(files.log, "utf8").split("\n").slice(0, -1);
      return lines.flatMap((line) => requestOf(line) ?? []);
    },
  };
}

/** Undefined for a line that a killed server left unfinished. */
function requestOf(line: string): AuditedRequest | undefined {
  let event: AuditEvent;
  try {
    event = JSON.parse(line) as AuditEvent;
  } catch {
    return undefined;
  }
  const { objectRef: ref } = event;
  return {
    atMs: Date.parse(event.requestReceivedTimestamp),
    user: event.user.username ?? "",
    verb: event.verb,
    resource: ref === undefined ? (event.requestURI.split("?")[0] ?? "") : resourceOf(ref),
    namespace: ref?.namespace ?? "",
    name: ref?.name ?? "",
    code: event.responseStatus?.code ?? 0,
  };
}

function resourceOf(ref: NonNullable<AuditEvent["objectRef"]>): string {
  const group = ref.apiGroup ? `.${ref.apiGroup}` : "";
  const subresource = ref.subresource ? `/${ref.subresource}` : "";
  return `${ref.resource ?? ""}${group}${subresource}`;
}
