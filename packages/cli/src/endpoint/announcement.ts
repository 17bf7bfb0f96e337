// Where an autoscaler serves decisions, as it announces it in its Lease.
import type { KubeObject } from "@plimsoll/kube";

/** The pod that serves, and by which certificate it is known. */
export interface Announcement {
  /** "namespace/name" of the lease. */
  readonly lease: string;
  readonly namespace: string;
  readonly pod: string;
  readonly port: number;
  /** Of the certificate's DER form, in hexadecimal digits. */
  readonly sha256: string;
}

/** A Lease, as far as it is read here. */
export interface ServingLease extends KubeObject {
  readonly spec?: { readonly holderIdentity?: string; readonly renewTime?: string };
}

const annotation = "autoscaling.plimsoll.dev/serving";
const maxLength = 1000;

export function isServing({ metadata }: ServingLease): boolean {
  return (metadata.annotations?.[annotation] ?? "") !== "";
}

/** Undefined: it announces nothing, or nothing that can be used. */
export function announcementOf({ metadata }: ServingLease): Announcement | undefined {
  const fields = parsed(metadata.annotations?.[annotation] ?? "");
  const textOf = (name: string): string => (typeof fields[name] === "string" ? fields[name] : "");
  const [pod, address, sha256] = [textOf("pod"), textOf("address"), textOf("sha256")];
  const port = Number(/:(\d{1,5})$/.exec(address)?.[1] ?? Number.NaN);
  // All of it becomes part of a path, or is compared.
  const isValid = podPattern.test(pod) && port > 0 && port < 65_536 && sha256Pattern.test(sha256);
  const { namespace = "", name } = metadata;
  return isValid ? { lease: `${namespace}/${name}`, namespace, pod, port, sha256 } : undefined;
}

const podPattern = /^[a-z0-9](?:[-a-z0-9.]{0,252})$/;
const sha256Pattern = /^[0-9a-f]{64}$/;

function parsed(text: string): Readonly<Record<string, unknown>> {
  if (text.length > maxLength) return {};
  try {
    const fields: unknown = JSON.parse(text);
    return typeof fields === "object" && fields !== null ? (fields as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

export function isSameAnnouncement(one: Announcement, other: Announcement): boolean {
  return one.pod === other.pod && one.port === other.port && one.sha256 === other.sha256;
}
