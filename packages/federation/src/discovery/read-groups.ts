// Reads what a backend lists in each of its groups. One that cannot be read hides none of the others.
import type { BackendResult, FailureKind } from "../backend/answer.ts";
import type { Backend } from "../backend/backend.ts";
import { type FederatedGroup, federatedVersions } from "../config/federation-config.ts";
import { createListReader, type ListedNames, type ListReader, type ReadList } from "./read-list.ts";

/** What a backend lists in one group, or why that is unknown. */
export type GroupReading =
  | {
      readonly ok: true;
      readonly names: ListedNames;
      /** Those that it serves, one at least. */
      readonly versions: readonly string[];
      /** Names that no request can have. */
      readonly dropped: number;
      /** How many it lists, where not all are read. */
      readonly cutFrom: number | undefined;
    }
  | { readonly ok: false; readonly message: string };

/** What was read of each group before. */
export type FormerNames = (group: FederatedGroup) => ListedNames;

/** Never rejects. A backend that cannot be reached is not asked for the other groups. */
export async function readGroups(
  backend: Pick<Backend, "config" | "read">,
  former: FormerNames,
): Promise<ReadonlyMap<FederatedGroup, GroupReading>> {
  const readings = new Map<FederatedGroup, GroupReading>();
  let unreached: GroupReading | undefined;
  for (const group of backend.config.groups) {
    const { reading, isReached } = unreached
      ? { reading: unreached, isReached: false }
      : await readGroup(backend, group, former(group));
    readings.set(group, reading);
    if (!isReached) unreached = reading;
  }
  return readings;
}

/** One that is silent for one group may have the list of another. */
const endsReading: ReadonlySet<FailureKind> = new Set(["unreachable", "canceled"]);

/** All its versions list the same; one that is not served, or cannot be read, is passed over where another one can. */
async function readGroup(
  backend: Pick<Backend, "config" | "read">,
  group: FederatedGroup,
  former: ListedNames,
): Promise<{ readonly reading: GroupReading; readonly isReached: boolean }> {
  const names = new Map<string, boolean>();
  const versions: string[] = [];
  let problem: string | undefined;
  let dropped = 0;
  let cutFrom: number | undefined;
  for (const version of federatedVersions[group]) {
    const known = names.size === 0 ? former : names;
    const list = createListReader({ group, match: backend.config.match, known });
    const answer = await readVersion(backend, `/apis/${group}/${version}`, list);
    if (!answer.ok && endsReading.has(answer.kind)) return { reading: answer, isReached: false };
    const read = listOf(group, answer, list);
    if (read === undefined) continue;
    if (!read.ok) {
      problem ??= read.message;
      continue;
    }
    versions.push(version);
    dropped += read.dropped;
    cutFrom = read.cutFrom ?? cutFrom;
    for (const [name, namespaced] of read.names) names.set(name, namespaced);
  }
  if (versions.length > 0)
    return { reading: { ok: true, names, versions, dropped, cutFrom }, isReached: true };
  return { reading: { ok: false, message: problem ?? `it does not serve ${group}` }, isReached: true };
}

/** Undefined: the version is not served. */
function listOf(group: FederatedGroup, answer: BackendResult, list: ListReader): ReadList | undefined {
  if (!answer.ok) return answer;
  if (answer.code === 404) return undefined;
  if (answer.code !== 200)
    return { ok: false, message: `it returned ${answer.code} for its list of ${group}` };
  return list.end();
}

/** What is thrown is a bug; reading goes on after it, or the list would stay as it is for ever. */
async function readVersion(
  backend: Pick<Backend, "read">,
  path: string,
  { push }: ListReader,
): Promise<BackendResult> {
  try {
    return await backend.read({ path, accept: "application/json" }, push);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return { ok: false, kind: "unreachable", message };
  }
}
