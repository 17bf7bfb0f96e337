// The version of the API server.
import { ApiError, type KubeClient } from "@plimsoll/kube";

export interface ServerVersion {
  /** Such as "v1.37.1"; "" where it may not be read. */
  readonly text: string;
  /** Of 1.x; undefined where it is not known. */
  readonly minor: number | undefined;
}

/** Managed clusters may not show it: then nothing is known. */
export async function readServerVersion(client: KubeClient): Promise<ServerVersion> {
  try {
    const { gitVersion } = await client.request<{ readonly gitVersion?: unknown }>({ path: "/version" });
    const text = typeof gitVersion === "string" ? gitVersion : "";
    const minor = /^v1\.(\d+)/.exec(text)?.[1];
    return { text, minor: minor === undefined ? undefined : Number(minor) };
  } catch (error) {
    // 401 is no matter of the version.
    if (error instanceof ApiError && error.code !== 401) return { text: "", minor: undefined };
    throw error;
  }
}
