// Reads what a backend lists in each of its groups. One that cannot be read hides none of the others.
import type { BackendResult, FailureKind } from "../backend/answer.ts";
import type { Backend } from "../backend/backend.ts";
import { type FederatedGroup, federatedVersions } from "../config/federation-config.ts";
import { type ListedNames, type ReadList, readResourceList } from "./read-list.ts";

/** What a backend lists in one group, or why that is not known. */
export type GroupReading =
  | {
      readonly ok: true;
      readonly names: ListedNames;
      /** Those that it serves, one at least. */
      readonly versions: readonly string[];
      /** Names that no request can have. */
      readonly dropped: number;
    }
  | { readonly ok: false; readonly message: string };

/** Never rejects. A backend that cannot be reached is not asked for the other groups. */
export async function readGroups(
  backend: Pick<Backend, "config" | "read">,
): Promise<ReadonlyMap<FederatedGroup, GroupReading>> {
  const readings = new Map<FederatedGroup, GroupReading>();
  let unreached: GroupReading | undefined;
  for (const group of backend.config.groups) {
    const { reading, isReached } = unreached
      ? { reading: unreached, isReached: false }
      : await readGroup(backend, group);
    readings.set(group, reading);
    if (!isReached) unreached = reading;
  }
  return readings;
}

/** One that is silent for one group may have the list of another. */
const endsReading: ReadonlySet<FailureKind> = new Set(["unreachable", "canceled"]);

interface Attempt {
  readonly reading: GroupReading;
  readonly isReached: boolean;
}

/** All its versions list the same; one that is not served, or cannot be read, is passed over where another one can. */
async function readGroup(backend: Pick<Backend, "read">, group: FederatedGroup): Promise<Attempt> {
  const names = new Map<string, boolean>();
  const versions: string[] = [];
  let problem: string | undefined;
  let dropped = 0;
  for (const version of federatedVersions[group]) {
    const answer = await readVersion(backend, `/apis/${group}/${version}`);
    if (!answer.ok && endsReading.has(answer.kind)) return { reading: answer, isReached: false };
    const read = listOf(group, answer);
    if (read === undefined) continue;
    if (!read.ok) {
      problem ??= read.message;
      continue;
    }
    versions.push(version);
    dropped += read.dropped;
    for (const [name, namespaced] of read.names) names.set(name, namespaced);
  }
  if (versions.length > 0) return { reading: { ok: true, names, versions, dropped }, isReached: true };
  return { reading: { ok: false, message: problem ?? `it does not serve ${group}` }, isReached: true };
}

/** Undefined: the version is not served. */
function listOf(group: FederatedGroup, answer: BackendResult): ReadList | undefined {
  if (!answer.ok) return answer;
  if (answer.code === 404) return undefined;
  if (answer.code !== 200)
    return { ok: false, message: `it answered ${answer.code} for its list of ${group}` };
  return readResourceList(group, answer.body.toString("utf8"));
}

/** What is thrown is a bug; reading goes on after it, or the list would stay as it is for ever. */
async function readVersion(backend: Pick<Backend, "read">, path: string): Promise<BackendResult> {
  try {
    return await backend.read({ path, accept: "application/json" });
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return { ok: false, kind: "unreachable", message };
  }
}
