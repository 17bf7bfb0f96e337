// What a process writes about itself into its Lease: where it serves decisions, and by which certificate it is known.
import type { Lease } from "@plimsoll/kube";

/** Where a process serves. */
export interface Announcement {
  /** The pod, or the machine outside of one. */
  readonly pod: string;
  /** "address:port" of --secure-port. */
  readonly address: string;
  /** Of the serving certificate's DER form, in hexadecimal digits. */
  readonly sha256: string;
}

const annotation = "autoscaling.plimsoll.dev/serving";
const maxLength = 1000;

export function announcementOf(lease: Pick<Lease, "metadata"> | undefined): Announcement | undefined {
  const text = lease?.metadata.annotations?.[annotation];
  if (text === undefined || text.length > maxLength) return undefined;
  try {
    const { pod, address, sha256 } = JSON.parse(text) as Partial<Record<keyof Announcement, unknown>>;
    if (typeof pod !== "string" || typeof address !== "string" || typeof sha256 !== "string")
      return undefined;
    const isValid = /^[-a-z0-9.]{1,253}$/i.test(pod) && isAddress(address) && /^[0-9a-f]{64}$/.test(sha256);
    return isValid ? { pod, address, sha256 } : undefined;
  } catch {
    return undefined;
  }
}

/** An address of IPv6 stands in brackets. */
function isAddress(address: string): boolean {
  return /^(?:\[[0-9a-f:.]+\]|[-a-z0-9.]+):\d{1,5}$/i.test(address);
}

export function announcementAnnotations(
  announcement: Announcement | undefined,
): Readonly<Record<string, string>> {
  return announcement === undefined ? {} : { [annotation]: JSON.stringify(announcement) };
}
