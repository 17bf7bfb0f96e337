// Our metrics adapter: its Services, and what it says of its sources and of other adapters behind it.
import type { Fields } from "@plimsoll/core/internal/values";
import { type AdapterNote, at, known, listOf, nameOf, namespaceOf, type Reading } from "@plimsoll/doctor";
import { ApiError } from "@plimsoll/kube";
import type { Cluster } from "../../../cluster/cluster.ts";
import { unreadable } from "./lists.ts";

/** As chart and kustomize label it. */
const labelSelector = "app.kubernetes.io/part-of=plimsoll,app.kubernetes.io/component=metrics-adapter";
/** A line of a check. */
const maxBytes = 64 * 1024;

/** One Service of our adapter, with its first port. */
export interface AdapterService {
  readonly key: string;
  readonly port: number;
}

/** In all namespaces: the APIServices are of the cluster. */
export async function readAdapterServices(cluster: Cluster): Promise<Reading<readonly AdapterService[]>> {
  try {
    const list = await cluster.client.request<Fields>({ path: "/api/v1/services", query: { labelSelector } });
    return known(
      listOf(at(list, "items")).map((service) => ({
        key: `${namespaceOf(service)}/${nameOf(service)}`,
        port: Number(at(listOf(at(service, "spec", "ports"))[0], "port") ?? 443),
      })),
    );
  } catch (error) {
    return unreadable(cluster, error, "list services");
  }
}

/** The checks that pass with a word more than "ok", and those that fail. */
export async function readAdapterNotes(
  cluster: Cluster,
  services: Reading<readonly AdapterService[]>,
): Promise<Reading<readonly AdapterNote[]>> {
  if (!services.ok) return services;
  const notes: AdapterNote[] = [];
  for (const { key, port } of services.value) {
    const [namespace = "", name = ""] = key.split("/");
    const path = `/api/v1/namespaces/${namespace}/services/https:${name}:${port}/proxy/readyz`;
    try {
      notes.push(...notesOf(key, await readText(cluster, path)));
    } catch (error) {
      return unreadable(cluster, error, `get ${path}`);
    }
  }
  return known(notes);
}

/** One that is not ready answers 500, with the same lines. */
async function readText({ client }: Cluster, path: string): Promise<string> {
  try {
    const parts: Uint8Array[] = [];
    let bytes = 0;
    const query = { verbose: "" };
    for await (const part of await client.stream({ path, query, accept: "text/plain, */*" })) {
      bytes += part.length;
      if (bytes > maxBytes) break;
      parts.push(part);
    }
    return Buffer.concat(parts).toString("utf8");
  } catch (error) {
    if (error instanceof ApiError && error.code === 500) return error.message;
    throw error;
  }
}

function notesOf(service: string, text: string): readonly AdapterNote[] {
  return [...text.matchAll(/^\[[+-]\](\S+) (?:ok|failed): (.+)$/gm)].map(([, check = "", note = ""]) => ({
    service,
    check,
    text: note.slice(0, 500),
  }));
}
